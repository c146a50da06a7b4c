use cumbia::prelude::*;

#[device]
fn next(x: u32) -> u32 {
    x++
}

#[kernel]
fn kernel(x: &mut [u32]) {
    x[0] = if x[1] > 2 { next(x[1]) } else { 1 };
}

fn main() {}
