use cumbia::prelude::*;

#[kernel(fast)]
fn kernel(x: &mut [f32]) {}

fn main() {}
