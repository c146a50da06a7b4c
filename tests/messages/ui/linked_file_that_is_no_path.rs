use cumbia::prelude::*;

const FILE: &str = "half.ptx";

#[device(unsafe(link = FILE))]
fn half_of(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
