use cumbia::prelude::*;
use cumbia::vector::Float4;

#[kernel]
fn kernel(v: &mut [Float4]) {
    v[0] = v[0].wzyx();
}

fn main() {}
