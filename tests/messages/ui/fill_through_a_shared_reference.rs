use cumbia::prelude::*;

#[kernel]
fn k(x: &[f32]) { x.fill(1.0); }

fn main() {}
