use cumbia::prelude::*;

#[kernel]
fn kernel(y: &[f32]) {
    atomic_add(&mut y[0], 1.0);
}

fn main() {}
