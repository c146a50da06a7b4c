use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [u8]) {
    atomic_add(&mut y[0], 1);
}

fn main() {}
