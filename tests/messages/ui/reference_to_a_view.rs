use cumbia::prelude::*;

#[kernel]
fn kernel(x: &ArrayView2<f32>) {}

fn main() {}
