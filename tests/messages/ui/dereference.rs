use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = grid(1);
    x[0] = *i;
}

fn main() {}
