use cumbia::prelude::*;
use cumbia::{DeviceSlice, DeviceSliceMut};

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    position: DeviceSliceMut<'a, f32>,
}

#[kernel]
fn kernel(particles: Particles<'_>, y: &mut [f32]) {
    particles.position[0] += particles.velocity[0] + y[0];
}

#[kernel]
fn layers(ys: [&mut [f32]; 2]) {
    ys[0][0] = ys[1][0];
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let (mut x, mut y) = (device.zeros::<f32>(1)?, device.zeros::<f32>(1)?);
    kernel(Particles { velocity: x.as_slice(), position: x.as_slice_mut() }, &mut y).over(1).launch()?;
    kernel(Particles { velocity: x.as_slice(), position: y.as_slice_mut() }, &mut y).over(1).launch()?;
    layers([&mut x, &mut x]).over(1).launch()
}

// mistakes: 3
