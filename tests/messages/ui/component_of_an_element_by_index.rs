use cumbia::prelude::*;
use cumbia::vector::Float4;

#[kernel]
fn kernel(v: &[Float4], y: &mut [f32]) {
    let i = grid(1);
    y[i] = v[i][0];
}

fn main() {}
