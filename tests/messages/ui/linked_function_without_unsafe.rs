use cumbia::prelude::*;

#[device(link = "half.ptx")]
fn half_of(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
