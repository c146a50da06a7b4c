use cumbia::prelude::*;

#[kernel]
unsafe fn kernel(x: &mut [f32]) {}

fn main() {}
