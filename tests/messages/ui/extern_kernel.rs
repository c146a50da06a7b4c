use cumbia::prelude::*;

#[kernel]
extern "C" fn kernel(x: &mut [f32]) {}

fn main() {}
