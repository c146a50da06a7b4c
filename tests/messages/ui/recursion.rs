use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = 1.0;
    kernel(x);
}

fn main() {}
