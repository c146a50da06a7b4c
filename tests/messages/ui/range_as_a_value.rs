use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let rows = 0..4;
}

fn main() {}
