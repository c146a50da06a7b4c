use cumbia::algorithm::{device_fn, transform};
use cumbia::prelude::*;

fn doubled(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform(x, y, device_fn!(|v: f64| -> f64 { 2.0 * v })).launch()
}

fn main() {}
