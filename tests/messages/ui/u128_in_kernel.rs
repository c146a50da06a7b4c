use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[u64], y: &mut [u64]) {
    let i = grid(1);
    let product = x[i] as u128 * 3u128;
    y[i] = (product >> 64) as u64;
}

#[device]
fn low(x: i128) -> u64 {
    x as u64
}

fn main() {}

// mistakes: 2
