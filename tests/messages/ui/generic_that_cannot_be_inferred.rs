use cumbia::prelude::*;

#[kernel]
fn fill<const N: usize>(x: &mut [f32]) {
    x[0] = N as f32;
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let mut x = device.to_device(&[1.0f32])?;
    fill(&mut x).over(1).launch()?;
    Ok(())
}
