use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let n = grid(1);
    x[0] = n.sqrt();
}

fn main() {}
