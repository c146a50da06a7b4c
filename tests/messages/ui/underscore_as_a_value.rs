use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = _;
}

fn main() {}
