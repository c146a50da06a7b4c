use cumbia::prelude::*;

#[kernel]
fn kernel<T>(a: T) {}

fn main() {}
