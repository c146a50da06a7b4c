use cumbia::prelude::*;

#[kernel]
fn kernel(mut xs: [&[f32]; 2], x: &[f32], y: &mut [f32]) {
    xs[0] = x;
    y[0] = xs[0][0];
}

fn main() {}
