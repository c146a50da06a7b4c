use cumbia::algorithm::{argmin_rows};
use cumbia::prelude::*;

fn columns(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    argmin_rows(x.reshape((2, 3))?, y).launch()
}

fn main() {}
