use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    for (i, value) in 0..4 {
        x[i] = value;
    }
}

fn main() {}
