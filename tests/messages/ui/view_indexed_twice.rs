use cumbia::prelude::*;

#[kernel]
fn kernel(x: ArrayView2<f32>, y: &mut [f32]) {
    y[0] = x[0][1];
}

fn main() {}
