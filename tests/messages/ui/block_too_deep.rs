use cumbia::prelude::*;

#[kernel(block = (1, 1, 128))]
fn kernel(x: &mut [f32]) {}

fn main() {}
