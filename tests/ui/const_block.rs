use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let n = const { 3 + 4 };
}

fn main() {}
