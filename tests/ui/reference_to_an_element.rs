use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let place = &x[0];
}

fn main() {}
