use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView2<f32>, y: &mut [f32]) {
    if let Some(row) = a.row(0).as_slice() {
        y[0] = row[1];
    }
}

fn main() {}
