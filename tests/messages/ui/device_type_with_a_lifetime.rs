use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Part<'a> {
    values: &'a [f32],
}

fn main() {}
