use cumbia::prelude::*;

#[device]
fn length(x: &str) -> usize {
    3
}

fn main() {}
