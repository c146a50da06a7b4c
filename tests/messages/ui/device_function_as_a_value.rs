use cumbia::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn kernel(x: &mut [f32]) {
    let f = square;
    x[0] = 1.0;
}

fn main() {}
