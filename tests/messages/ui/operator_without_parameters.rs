use cumbia::algorithm::transform;
use cumbia::prelude::*;

fn ones(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform(x, y, cumbia::device_fn!(|| -> f32 { 1.0 })).launch()
}

fn main() {}
