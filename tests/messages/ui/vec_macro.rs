use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let stack = vec![0.0; 4];
}

fn main() {}
