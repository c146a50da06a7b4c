// mistakes: 3
use cumbia::DeviceSliceMut;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    position: DeviceSliceMut<'a, f32>,
    step: f32,
}

#[device]
fn advance(particles: &Particles<'_>) {
    particles.position[0] += particles.step;
}

#[device]
fn advance_all(particles: &Particles<'_>) {
    let position = particles.position;
    position[0] += 1.0;
}

#[device]
impl Particles<'_> {
    fn stop(&self) {
        self.position[0] = 0.0;
    }
}

fn main() {}
