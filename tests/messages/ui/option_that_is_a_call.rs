use cumbia::prelude::*;

#[kernel(unchecked(true))]
fn kernel(x: &mut [f32]) {}

fn main() {}
