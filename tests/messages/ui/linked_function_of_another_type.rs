use cumbia::prelude::*;

#[device(unsafe(link = "../../../kernel-runtime/tests/linking/half.ptx"))]
fn half_of(x: f32) -> f32 {
    x / 2.0
}

#[kernel]
fn halve(x: &[f64], y: &mut [f32]) {
    y[0] = half_of(x[0]);
}

fn main() {}
