use cumbia::prelude::*;

#[kernel]
fn scale(factor: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    y[i] = factor * x[i];
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.zeros(4)?, device.zeros(4)?);
    scale(2.0, x.slice(1..)?, y.slice_mut(1..)?).over(3).launch()
}

// mistakes: 2
