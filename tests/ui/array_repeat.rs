use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let mut sums = [0.0; 4];
}

fn main() {}
