use cumbia::prelude::*;

#[kernel]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    y[0] = a * x[0];
}

fn main() -> cumbia::Result<()> {
    let device = Device::cpu();
    launch!(scale[1, 2])?;
    Ok(())
}
