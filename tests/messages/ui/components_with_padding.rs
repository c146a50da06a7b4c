use cumbia::Components;
use cumbia::prelude::*;

#[derive(Clone, Copy, Components, DeviceType)]
#[repr(C, align(16))]
struct Segment {
    from: [f32; 3],
    to: f32,
    length: f32,
}

fn main() {}
