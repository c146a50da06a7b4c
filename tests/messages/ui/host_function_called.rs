use cumbia::prelude::*;

fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = square(3.0);
}

fn main() {}
