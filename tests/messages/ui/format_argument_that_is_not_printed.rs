use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    assert!(x[0] > 0.0, "negative", x[0]);
}

fn main() {}
