use cumbia::algorithm::reduce;
use cumbia::prelude::*;

fn total(x: &DeviceArray<f32>) -> cumbia::Result<()> {
    let _ = reduce(x, 0.0, |a: f32, b: f32| a + b).value()?;
    Ok(())
}

fn main() {}
