use cumbia::Components;
use cumbia::prelude::*;

#[derive(Clone, Copy, Components, DeviceType)]
#[repr(align(16), C)]
struct Segment {
    from: [f32; 3],
    to: f32,
    length: f32,
}

fn main() {}
