use cumbia::prelude::*;

#[device]
fn helper(n: u64) -> u64 {
    if n == 0 { 1 } else { n * helper(n - 1) }
}

fn main() {}
