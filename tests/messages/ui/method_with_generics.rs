use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = x[1].sqrt::<f32>();
}

fn main() {}
