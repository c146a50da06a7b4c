use cumbia::prelude::*;

#[device]
fn helper(a: f32) -> u32 {
    a
}

fn main() {}
