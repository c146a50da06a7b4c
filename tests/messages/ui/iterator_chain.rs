use cumbia::prelude::*;

#[kernel]
fn kernel(a: &[f32], x: &mut [f32]) {
    x[0] = a.iter().map(|v| v * v).sum();
}

fn main() {}
