use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    struct Point;
    x[0] = 1.0;
}

fn main() {}
