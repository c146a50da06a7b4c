use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    layers: [DeviceSlice<'a, f32>; 2],
}

#[kernel]
fn kernel(particles: Particles<'_>, inputs: (&[f32], f32)) {
    particles.velocity[0] = 1.0;
    particles.layers[1][0] = 1.0;
    inputs.0[2] = 3.0;
}

fn main() {}

// mistakes: 3
