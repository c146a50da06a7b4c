use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView4<f32>, y: &mut [f32]) {
    let row = a.row(1);
    y[0] = row[[0, 0, 0]];
}

fn main() {}
