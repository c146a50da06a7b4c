use cumbia::algorithm::{gather};
use cumbia::prelude::*;

fn chosen(x: &DeviceArray<f32>, indices: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    gather(x, indices, y).launch()
}

fn main() {}
