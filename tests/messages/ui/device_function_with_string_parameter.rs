use cumbia::prelude::*;

#[device]
fn helper(name: String) -> f32 {
    1.0
}

fn main() {}
