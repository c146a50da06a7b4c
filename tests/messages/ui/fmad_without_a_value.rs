use cumbia::prelude::*;

#[kernel(fmad)]
fn kernel(x: &mut [f32]) {}

fn main() {}
