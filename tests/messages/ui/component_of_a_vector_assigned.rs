use cumbia::prelude::*;
use cumbia::vector::Float4;

#[kernel]
fn kernel(v: &mut [Float4]) {
    let mut a = v[0];
    a[1] = 2.0;
    v[0] = a;
}

fn main() {}
