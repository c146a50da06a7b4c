use cumbia::algorithm::{argsort};
use cumbia::prelude::*;

fn order(x: &DeviceArray<f32>, indices: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    argsort(x, indices).launch()
}

fn main() {}
