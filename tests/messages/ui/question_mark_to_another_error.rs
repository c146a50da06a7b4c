use cumbia::prelude::*;

#[device]
fn half(n: i32) -> Result<i32, u32> {
    if n % 2 == 0 { Ok(n / 2) } else { Err(1) }
}

#[device]
fn quarter(n: i32) -> Result<i32, u64> {
    Ok(half(n)? / 2)
}

#[device]
fn third(n: i32) -> Option<i32> {
    Some(half(n)? / 3)
}

fn main() {}

// mistakes: 2
