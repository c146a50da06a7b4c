use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let square = |x: f32| x * x;
    y[0] = square(y[0]) + square(y[1]);
}

fn main() {}
