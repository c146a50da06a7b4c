use cumbia::prelude::*;

#[device(unsafe(link = "half.ptx", symbol = "half_of(float)"))]
fn half_of(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
