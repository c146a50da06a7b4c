use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = f32::from_bits(7);
}

fn main() {}
