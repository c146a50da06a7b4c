use cumbia::algorithm::transform;
use cumbia::prelude::*;

fn doubled(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) -> cumbia::Result<()> {
    transform(x, y, cumbia::device_fn!(<T: Float> |v: T| -> T { v + v })).launch()
}

fn main() {}
