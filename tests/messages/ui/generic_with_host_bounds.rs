use cumbia::prelude::*;

#[device]
fn mx<T: Copy + PartialOrd>(a: T, b: T) -> T { if a > b { a } else { b } }

fn main() {}
