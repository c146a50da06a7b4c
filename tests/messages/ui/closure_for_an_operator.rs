use cumbia::algorithm::transform;
use cumbia::prelude::*;

fn doubled(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform(x, y, |v: f32| 2.0 * v).launch()
}

fn main() {}
