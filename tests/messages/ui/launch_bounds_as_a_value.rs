use cumbia::prelude::*;

#[kernel(launch_bounds = 256)]
fn kernel(x: &mut [f32]) {}

fn main() {}
