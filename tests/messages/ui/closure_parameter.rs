use cumbia::prelude::*;

#[kernel]
fn kernel(f: impl Fn(f32) -> f32) {}

fn main() {}
