use cumbia::prelude::*;

#[kernel]
async fn kernel(x: &mut [f32]) {}

fn main() {}
