// mistakes: 3
use cumbia::DeviceSliceMut;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    position: DeviceSliceMut<'a, f32>,
    step: f32,
}

#[device]
fn slow_down(particles: &mut Particles<'_>) {
    particles.step *= 0.5;
}

#[device]
impl Particles<'_> {
    fn stop(&mut self) {
        self.step = 0.0;
    }
}

#[kernel]
fn kernel(mut particles: Particles<'_>) {
    let same = &mut particles;
    same.step = 1.0;
}

fn main() {}
