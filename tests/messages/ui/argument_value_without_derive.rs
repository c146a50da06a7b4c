use cumbia::DeviceSlice;
use cumbia::prelude::*;

struct Bounds {
    low: f32,
    high: f32,
}

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    bounds: Bounds,
}

fn main() {}
