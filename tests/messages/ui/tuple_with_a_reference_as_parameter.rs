use cumbia::prelude::*;

#[kernel]
fn kernel(p: (&[f32], &f32), unit: (), found: (Option<u32>, u32)) {}

fn main() {}

// mistakes: 3
