use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let letter = 'a';
}

fn main() {}
