use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Wave {
    amplitude: f32,
}

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    wave: Wave,
}

fn main() {}
