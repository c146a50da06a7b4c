use cumbia::prelude::*;

#[kernel]
fn kernel(n: usize, x: &mut [f32]) {
    let i = grid(n);
    x[i] = 1.0;
}

fn main() {}
