use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    step: f32,
}

#[device]
fn moved(particles: Particles, i: usize) -> f32 {
    particles.velocity[i] * particles.step
}

#[kernel]
fn kernel(particles: Particles<'_>, y: &mut [f32]) {
    y[0] = moved(particles, 0);
}

fn main() {}
