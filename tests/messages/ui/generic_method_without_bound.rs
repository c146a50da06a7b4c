use cumbia::prelude::*;

#[device]
fn norm<T: Number>(a: T, b: T) -> T { (a * a + b * b).sqrt() }

fn main() {}
