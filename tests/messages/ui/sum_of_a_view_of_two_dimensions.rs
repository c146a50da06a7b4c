use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<'_, f32>, y: &mut [f32]) {
    y[0] = a.iter().sum::<f32>();
}

fn main() {}
