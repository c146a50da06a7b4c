use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Planets<'a> {
    velocity: DeviceSlice<'a, f32>,
    masses: Vec<f32>,
}

fn main() {}
