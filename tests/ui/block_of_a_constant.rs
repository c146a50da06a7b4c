use cumbia::prelude::*;

const BLOCK: u32 = 256;

#[kernel(block = BLOCK)]
fn kernel(x: &mut [f32]) {}

fn main() {}
