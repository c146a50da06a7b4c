use cumbia::prelude::*;

#[kernel(block = 512, launch_bounds(256))]
fn kernel(x: &mut [f32]) {}

fn main() {}
