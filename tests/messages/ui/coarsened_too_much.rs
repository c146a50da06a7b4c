use cumbia::prelude::*;

#[kernel(coarsen = 32)]
fn double(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
