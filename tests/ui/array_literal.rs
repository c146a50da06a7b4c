use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let weights = [1.0, 2.0, 1.0];
}

fn main() {}
