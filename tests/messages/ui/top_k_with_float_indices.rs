use cumbia::algorithm::{top_k};
use cumbia::prelude::*;

fn greatest(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>, indices: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    top_k(x, y, indices).launch()
}

fn main() {}
