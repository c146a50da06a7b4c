use cumbia::prelude::*;

#[kernel]
fn kernel(letter: char) {}

fn main() {}
