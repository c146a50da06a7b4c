use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let one = 1.0;
    let place = &one;
}

fn main() {}
