use cumbia::algorithm::transform;
use cumbia::prelude::*;

fn doubled(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform(x, y, cumbia::device_fn!(|v: f32| -> f32 { Some(v).map(|v| 2.0 * v).unwrap_or(0.0) })).launch()
}

fn main() {}
