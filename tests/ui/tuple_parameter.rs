use cumbia::prelude::*;

#[kernel]
fn kernel(p: (f32, f32)) {}

fn main() {}
