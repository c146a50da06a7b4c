use cumbia::prelude::*;
use cumbia::vector::Float2;

#[kernel]
fn kernel(v: &mut [Float2]) {
    v[0] = Float2 { x: 1.0, y: 2.0 };
}

fn main() {}
