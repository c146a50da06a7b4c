use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = x[1] * 2u32;
}

fn main() {}
