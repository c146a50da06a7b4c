use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Part {
    first: &'static f32,
}

fn main() {}
