use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = 1i32;
    x[i] = 1.0;
}

fn main() {}
