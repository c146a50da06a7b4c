use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let y: &[f32] = x;
}

fn main() {}
