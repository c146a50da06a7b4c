use cumbia::prelude::*;

#[kernel]
fn kernel(y: &[f32]) {
    y[0] += 1.0;
}

fn main() {}
