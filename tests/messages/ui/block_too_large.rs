use cumbia::prelude::*;

#[kernel(block = (64, 32))]
fn kernel(x: &mut [f32]) {}

fn main() {}
