use cumbia::prelude::*;

#[kernel]
fn kernel(a: Option<f32>) {}

fn main() {}
