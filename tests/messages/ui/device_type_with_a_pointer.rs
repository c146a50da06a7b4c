use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Node {
    value: f32,
    next: *const f32,
}

fn main() {}
