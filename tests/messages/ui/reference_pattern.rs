use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let &a = x;
}

fn main() {}
