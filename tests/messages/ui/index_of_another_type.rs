use cumbia::prelude::*;

#[kernel(index = u64)]
fn kernel(x: &mut [f32]) {}

fn main() {}
