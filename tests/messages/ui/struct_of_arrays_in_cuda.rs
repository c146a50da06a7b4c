use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
}

#[device(unsafe(cuda = "return particles_velocity[0];"))]
fn first(particles: Particles<'_>) -> f32 {
    unimplemented!()
}

fn main() {}
