use cumbia::prelude::*;

#[kernel]
fn kernel(n: usize) {
    let tile = shared::<[f32; n]>();
}

fn main() {}
