use cumbia::prelude::*;

#[kernel]
fn scale(a: f32, y: &mut [f32]) {
    y[0] *= a;
}

fn main() -> cumbia::Result<()> {
    let mut y = Device::cpu().to_device(&[1.0f32])?;
    launch!(scale[1, 1](2.0, &mut y).shared_bytes(64).launch())?;
    launch!(scale[1, 1](2.0, &mut y).shared_bytes)?;
    Ok(())
}

// mistakes: 2
