use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let (a, _) = x.split_at(1, 2);
    y[0] = a[0];
}

fn main() {}
