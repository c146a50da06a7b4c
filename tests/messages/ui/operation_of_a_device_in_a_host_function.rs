use cumbia::prelude::*;

fn scale(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
