use cumbia::Components;
use cumbia::prelude::*;

#[derive(Clone, Copy, Components, DeviceType)]
struct Segment {
    from: [f32; 2],
    to: [f32; 2],
}

fn main() {}
