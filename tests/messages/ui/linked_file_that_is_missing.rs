use cumbia::prelude::*;

#[device(unsafe(link = "linked/nowhere.ptx"))]
fn half_of(x: f32) -> f32 {
    x / 2.0
}

fn main() {}
