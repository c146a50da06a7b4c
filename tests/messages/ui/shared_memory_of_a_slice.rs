use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let mut part = shared::<[f32]>();
    part[0] = 1.0;
    y[0] = part[0];
}

fn main() {}
