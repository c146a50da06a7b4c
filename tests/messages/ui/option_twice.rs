use cumbia::prelude::*;

#[kernel(unchecked, unchecked)]
fn kernel(x: &mut [f32]) {}

fn main() {}
