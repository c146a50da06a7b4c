use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<'_, f32>, y: &mut [f32]) {
    for v in a.iter() {
        y[0] += v;
    }
}

fn main() {}
