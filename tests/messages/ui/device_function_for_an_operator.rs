use cumbia::algorithm::reduce;
use cumbia::prelude::*;

#[device]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn total(x: &DeviceArray<f32>) {
    let _ = reduce(x, 0.0, add);
}

fn main() {}
