use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32], ...) {}

fn main() {}
