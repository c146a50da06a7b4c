use cumbia::prelude::*;

#[kernel]
fn root<T: Float>(x: &mut [T]) {
    x[0] = x[0].sqrt();
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    let mut x = device.to_device(&[1u32])?;
    root(&mut x).over(1).launch()?;
    Ok(())
}
