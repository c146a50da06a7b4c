use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    for i in 0.. {
        x[i] = 1.0;
    }
}

fn main() {}
