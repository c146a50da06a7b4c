use cumbia::prelude::*;

#[kernel(unchecked, prove)]
fn kernel(x: &mut [f32]) {}

fn main() {}
