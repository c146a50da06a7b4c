use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<f32>, y: &mut [f32]) {
    let rows = &a[1..3];
    y[0] = rows[[0, 0]];
}

fn main() {}
