use cumbia::prelude::*;

#[device]
fn helper(p: (f32, f32)) -> f32 {
    1.0
}

fn main() {}
