use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    if let 0 = grid(1) {
        x[0] = 1.0;
    }
}

fn main() {}
