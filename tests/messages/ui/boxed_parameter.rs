use cumbia::prelude::*;

#[kernel]
fn kernel(a: Box<f32>) {}

fn main() {}
