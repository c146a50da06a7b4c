use cumbia::prelude::*;

#[kernel]
fn kernel(name: String) {}

fn main() {}
