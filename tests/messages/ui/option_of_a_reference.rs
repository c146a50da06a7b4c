use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let first = if x.is_empty() { None } else { Some(&x[0]) };
}

fn main() {}
