use cumbia::prelude::*;
use cumbia::vector::Float4;

#[kernel]
fn kernel(v: &[Float4], y: &mut [f32]) {
    let i = grid(1);
    let a = v[i];
    y[i] = a[0];
}

fn main() {}
