use cumbia::prelude::*;

const WEIGHTS: [f32; 2] = [1.0, 2.0];

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = WEIGHTS[1];
}

fn main() {}
