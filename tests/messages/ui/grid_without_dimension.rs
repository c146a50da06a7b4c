use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = grid();
    x[i] = 1.0;
}

fn main() {}
