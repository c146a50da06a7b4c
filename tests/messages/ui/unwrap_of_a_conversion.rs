use cumbia::prelude::*;

#[kernel]
fn converts(x: &mut [f32], i: i32) {
    x[i.try_into().unwrap()] = 1.0;
}

fn main() {}
