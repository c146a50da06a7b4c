use cumbia::prelude::*;

type Pair = (f32, f32);

#[kernel]
fn kernel(p: Pair) {}

fn main() {}
