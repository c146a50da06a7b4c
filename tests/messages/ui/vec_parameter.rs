use cumbia::prelude::*;

#[kernel]
fn kernel(x: Vec<f32>) {}

fn main() {}
