use cumbia::prelude::*;

#[kernel]
fn kernel(f: fn(f32) -> f32) {}

fn main() {}
