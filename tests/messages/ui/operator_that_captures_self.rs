use cumbia::algorithm::transform;
use cumbia::prelude::*;

struct Model {
    scale: f32,
}

impl Model {
    fn scaled(&self, x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
        transform(x, y, cumbia::device_fn!(|v: f32| -> f32 { v * self.scale })).launch()
    }
}

fn main() {}
