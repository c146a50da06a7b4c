use cumbia::prelude::*;

#[device]
fn helper(a: &[f32]) -> &[f32] {
    a
}

fn main() {}
