use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    for i in 0.0..4.0 {
        x[0] = 1.0;
    }
}

fn main() {}
