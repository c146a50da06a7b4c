use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = (|a: f32| 2.0 * a)(1.0);
}

fn main() {}
