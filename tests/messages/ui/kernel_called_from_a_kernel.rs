use cumbia::prelude::*;

#[kernel]
fn clear(y: &mut [f32]) {
    y[0] = 0.0;
}

#[kernel]
fn kernel(x: &mut [f32]) {
    clear(x);
}

fn main() {}
