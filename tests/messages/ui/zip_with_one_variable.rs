use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    for pair in x.iter().zip(y.iter()) {}
    for (a, b) in x.iter().rev().zip(y.iter()) {}
    for a in x.windows(2).step_by(2) {}
}

fn main() {}

// mistakes: 3
