use cumbia::DeviceSliceMut;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    position: DeviceSliceMut<'a, f32>,
}

#[kernel]
fn kernel(particles: Particles<'a>) {
    particles.position[0] += 1.0;
}

fn main() {}
