use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    atomic_add(x[0], 1.0);
}

fn main() {}
