use cumbia::prelude::*;
use cumbia::{DeviceSlice, DeviceSliceMut};

#[derive(KernelArgument)]
struct Particles<'a, 'b> {
    velocity: DeviceSlice<'a, f32>,
    position: DeviceSliceMut<'b, f32>,
}

fn main() {}
