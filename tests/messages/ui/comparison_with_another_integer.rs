// mistakes: 2
use cumbia::prelude::*;

#[kernel]
fn guarded(n: u32, y: &mut [f32]) {
    let i = grid(1);
    if i < n {
        y[i] = 1.0;
    }
    if i == 2 * n {
        y[i] = 2.0;
    }
}

fn main() {}
