// mistakes: 3
use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for v in x {
        summ += v;
    }
    total = 1.0;
    z[0] = sum;
}

fn main() {}
