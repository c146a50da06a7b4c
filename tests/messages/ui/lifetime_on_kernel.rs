use cumbia::prelude::*;

#[kernel]
fn kernel<'a>(x: &'a mut [f32]) {}

fn main() {}
