use cumbia::prelude::*;

#[kernel]
fn gather(from: &[u32], x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    y[i] = x[from[i]];
}

fn main() {}
