use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let 0 = grid(1) else {
        return;
    };
    x[0] = 1.0;
}

fn main() {}
