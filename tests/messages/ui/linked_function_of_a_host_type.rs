use cumbia::prelude::*;

#[device(unsafe(link = "../../../kernel-runtime/tests/linking/half.ptx"))]
fn half_of(x: String) -> f32 {
    x.len() as f32 / 2.0
}

fn main() {}
