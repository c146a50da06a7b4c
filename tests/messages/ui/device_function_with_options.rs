use cumbia::prelude::*;

#[device(unchecked)]
fn helper(a: f32) -> f32 {
    2.0 * a
}

fn main() {}
