use cumbia::prelude::*;

#[device]
fn twice(x: &f32) -> f32 {
    *x * 2.0
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = twice(1.0);
}

fn main() {}
