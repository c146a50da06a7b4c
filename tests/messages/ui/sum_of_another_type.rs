// mistakes: 5
use cumbia::prelude::*;

#[kernel]
fn sums(n: u32, y: &mut [u64]) {
    y[0] = n + 1;
    y[1] = (n + 1) * 2;
    let sum: u64 = n + 3;
    y[2] = sum + n as u64;
    let len: u32 = y.len();
    let x: f32 = !len;
    y[3] = x as u64;
}

fn main() {}
