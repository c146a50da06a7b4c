use cumbia::prelude::*;

#[kernel]
const fn kernel(x: &mut [f32]) {}

fn main() {}
