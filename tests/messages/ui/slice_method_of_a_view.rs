use cumbia::prelude::*;

#[kernel]
fn kernel(a: ArrayView1<f32>, y: &mut [f32]) {
    let part = a.slice(1..3);
    y[0] = part[0];
}

fn main() {}
