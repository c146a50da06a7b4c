use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = (x[1] > 0.0) as f32;
}

fn main() {}
