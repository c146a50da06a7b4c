use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    y.rotate_left(1);
}

fn main() {}
