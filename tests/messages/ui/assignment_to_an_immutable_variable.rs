use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let sum = 0.0;
    sum += x[0];
    x[0] = sum;
}

fn main() {}
