use cumbia::prelude::*;

#[kernel(fast_math = true)]
fn kernel(x: &mut [f32]) {}

fn main() {}
