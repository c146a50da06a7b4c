use cumbia::prelude::*;

#[kernel(launch_bounds(2048))]
fn kernel(x: &mut [f32]) {}

fn main() {}
