use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
}

#[kernel]
fn kernel(particles: Particles, y: &mut [f32]) {
    y[0] = particles.velocity[0];
}

fn main() {}
