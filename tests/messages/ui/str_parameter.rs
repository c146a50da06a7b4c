use cumbia::prelude::*;

#[kernel]
fn kernel(name: &str) {}

fn main() {}
