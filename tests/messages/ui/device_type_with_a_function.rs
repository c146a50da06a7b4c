use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Unit {
    activation: fn(f32) -> f32,
}

fn main() {}
