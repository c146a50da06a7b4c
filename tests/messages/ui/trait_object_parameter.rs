use cumbia::prelude::*;

#[kernel]
fn kernel(f: &dyn Fn(f32) -> f32) {}

fn main() {}
