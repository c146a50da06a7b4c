use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = thread_idx().w;
    x[i] = 1.0;
}

fn main() {}
