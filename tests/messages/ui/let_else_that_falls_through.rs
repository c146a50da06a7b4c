// mistakes: 2
use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[i32], y: &mut [u8]) {
    let i = grid(1);
    let Ok(small) = u8::try_from(x[i]) else {
        y[i] = 0;
    };
    y[i] = small;
}

#[device]
fn or_zero(x: Option<i32>) -> i32 {
    let Some(value) = x else { 0 };
    value
}

fn main() {}
