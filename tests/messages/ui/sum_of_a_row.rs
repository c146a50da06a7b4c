use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<'_, f32>, y: &mut [f32]) {
    y[0] = a.row(0).sum();
}

fn main() {}
