use cumbia::prelude::*;

#[kernel]
fn kernel(a: &f32) {}

fn main() {}
