use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    y.rotate_left(1);
    y.contains(&1.0);
}

fn main() {}
