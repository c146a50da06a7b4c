use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let [a, b] = pair;
}

fn main() {}
