use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let mut stack = Vec::new();
}

fn main() {}
