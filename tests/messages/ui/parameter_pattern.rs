use cumbia::prelude::*;

#[kernel]
fn kernel((a, b): (f32, f32)) {}

fn main() {}
