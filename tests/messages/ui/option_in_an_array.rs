use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[Option<f32>], y: &mut [f32]) {
    y[0] = x[0].unwrap_or(0.0);
}

fn main() {}
