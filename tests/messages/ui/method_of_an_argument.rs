use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    step: f32,
}

impl Particles<'_> {
    fn moved(&self, i: usize) -> f32 {
        self.step * i as f32
    }
}

#[kernel]
fn kernel(particles: Particles<'_>, y: &mut [f32]) {
    y[0] = particles.moved(0);
}

fn main() {}
