use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let mut one = 1.0;
    let place = &raw mut one;
}

fn main() {}
