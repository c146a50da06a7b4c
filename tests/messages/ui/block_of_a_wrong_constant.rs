use cumbia::prelude::*;

const BLOCK: u32 = 256;

#[kernel(block = BLOCK)]
fn of_another_type(x: &mut [f32]) {}

fn main() {}
