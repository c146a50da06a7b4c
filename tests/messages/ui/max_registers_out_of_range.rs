use cumbia::prelude::*;

#[kernel(max_registers = 8)]
fn kernel(x: &mut [f32]) {}

fn main() {}
