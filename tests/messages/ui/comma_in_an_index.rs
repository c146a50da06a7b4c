use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<f32>, mut b: ArrayViewMut2<f32>) {
    let (j, i) = grid(2);
    b[i, j] = a[i, j];
}

fn main() {}
