use cumbia::algorithm::reduce;
use cumbia::prelude::*;

#[device]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn total(x: &DeviceArray<f32>) -> cumbia::Result<()> {
    let _ = reduce(x, 0.0, add).value()?;
    Ok(())
}

fn main() {}
