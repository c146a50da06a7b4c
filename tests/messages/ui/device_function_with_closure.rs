use cumbia::prelude::*;

#[device]
fn helper(a: f32) -> f32 {
    let double = |b: f32| 2.0 * b;
    a
}

fn main() {}
