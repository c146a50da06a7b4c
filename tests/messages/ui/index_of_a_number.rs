use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let n = 1.0;
    x[0] = n[0];
}

fn main() {}
