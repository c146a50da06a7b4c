use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let sum;
    sum = 1.0;
    x[0] = sum;
}

fn main() {}
