use cumbia::prelude::*;

#[kernel]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    y[0] = a * x[0];
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let mut y = device.to_device(&[1.0f32])?;
    scale(2.0, &y, &mut y).over(1).launch()?;
    Ok(())
}
