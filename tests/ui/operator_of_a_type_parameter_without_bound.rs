use cumbia::prelude::*;

#[device]
fn sum<T: Element>(x: T, y: T) -> T {
    x + y
}

fn main() {}
