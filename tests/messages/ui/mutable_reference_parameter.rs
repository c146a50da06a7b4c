use cumbia::prelude::*;

#[kernel]
fn kernel(a: &mut f32) {}

fn main() {}
