// mistakes: 2
use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<f32>, b: ArrayView1<f32>, n: u32, y: &mut [f32]) {
    y[0] = a[[n, 0]];
    y[1] = b[n];
}

fn main() {}
