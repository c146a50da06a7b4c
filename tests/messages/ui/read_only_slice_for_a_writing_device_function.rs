use cumbia::prelude::*;

#[device]
fn clear(y: &mut [f32]) {
    y[0] = 0.0;
}

#[kernel]
fn kernel(y: &[f32]) {
    clear(y);
}

fn main() {}
