use cumbia::prelude::*;

#[kernel]
fn kernel(x: DeviceArray<f32>, y: &mut [f32]) {
    y[0] = x[0];
}

fn main() {}
