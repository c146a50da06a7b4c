use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    if grid(1) {
        x[0] = 1.0;
    }
}

fn main() {}
