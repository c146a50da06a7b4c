use cumbia::prelude::*;

#[device]
fn scale(factor: f32, x: f32) -> f32 {
    factor * x
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = scale(2.0, x[0], 1.0);
}

fn main() {}
