use cumbia::prelude::*;

#[kernel]
fn kernel(weights: [f32; 4]) {}

fn main() {}
