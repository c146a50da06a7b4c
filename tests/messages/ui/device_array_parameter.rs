use cumbia::prelude::*;

#[kernel]
fn kernel(x: &DeviceArray<f32>, y: &mut DeviceArray<f32>) {
    let i = grid(1);
    y[i] = x[i];
}

fn main() {}

// mistakes: 2
