use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let double = |a: f32| 2.0 * a;
    x[0] = 1.0;
}

fn main() {}
