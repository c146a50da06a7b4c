use cumbia::prelude::*;

#[kernel]
fn converts(n: u64, y: &mut [u32]) {
    y[0] = n.into();
}

fn main() {}
