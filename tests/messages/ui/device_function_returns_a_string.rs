use cumbia::prelude::*;

#[device]
fn helper(a: f32) -> String {
    1.0
}

fn main() {}
