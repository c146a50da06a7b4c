use cumbia::algorithm::transform3;
use cumbia::prelude::*;

fn fused(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform3(x, x, x, y, |a: f32, b: f32, c: f32| a * b + c).launch()
}

fn main() {}
