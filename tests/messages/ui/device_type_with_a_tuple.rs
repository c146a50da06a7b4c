use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Segment {
    from: (f32, f32),
}

fn main() {}
