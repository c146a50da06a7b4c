use cumbia::prelude::*;

#[kernel(fmad = 1)]
fn kernel(x: &mut [f32]) {}

fn main() {}
