use cumbia::prelude::*;

#[device]
fn first(x: &[f64]) -> f32 {
    x[0] as f32
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = first(x);
}

fn main() {}
