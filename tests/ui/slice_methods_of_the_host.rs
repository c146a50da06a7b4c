use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    y.swap(0, 1);
    y.reverse();
}

fn main() {}
