use cumbia::algorithm::argmax_rows;
use cumbia::prelude::*;

fn indices(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    let _ = argmax_rows(x.reshape((2, 3))?, y);
    Ok(())
}

fn main() {}
