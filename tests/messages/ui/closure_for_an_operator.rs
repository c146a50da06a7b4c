use cumbia::algorithm::transform;
use cumbia::prelude::*;

fn doubled(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) {
    let _ = transform(x, y, |v: f32| 2.0 * v);
}

fn main() {}
