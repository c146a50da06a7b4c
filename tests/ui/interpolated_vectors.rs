use cumbia::prelude::*;
use cumbia::vector::Float4;

#[kernel]
fn kernel(v: &mut [Float4]) {
    v[0] = v[0].lerp(v[1], 0.5);
}

fn main() {}
