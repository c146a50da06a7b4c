use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    step: f32,
}

#[kernel]
fn kernel(particles: Particles<'_>, y: &mut [f32]) {
    y[0] = particles.velocity[0];
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.zeros(4)?, device.zeros(1)?);
    kernel(Particles { velocity: &x, step: 0.5 }, &mut y).over(1).launch()
}
