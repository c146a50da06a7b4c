use cumbia::algorithm::transform;
use cumbia::prelude::*;

fn scaled(scale: f32, x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform(x, y, cumbia::device_fn!(|v: f32| -> f32 { v * scale })).launch()
}

fn main() {}
