use cumbia::prelude::*;

#[kernel]
fn mistaken(y: &mut [f32]) {
    y[0] = match y[0] {};
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let mut y = device.to_device(&[1.0f32])?;
    mistaken(&mut y).over(1).launch()?;
    Ok(())
}
