use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let tile = shared();
    x[0] = 1.0;
}

fn main() {}
