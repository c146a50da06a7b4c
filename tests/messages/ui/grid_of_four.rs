use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = grid(4);
}

fn main() {}
