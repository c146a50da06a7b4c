use cumbia::prelude::*;

#[kernel]
fn kernel<T>(a: &mut [T]) {}

fn main() {}
