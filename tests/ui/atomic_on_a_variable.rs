use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let mut sum = 0.0;
    atomic_add(&mut sum, 1.0);
}

fn main() {}
