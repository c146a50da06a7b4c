use cumbia::prelude::*;

#[kernel]
fn converts(x: &[f32], y: &mut [u32]) {
    y[0] = x[0].try_into().unwrap();
}

fn main() {}
