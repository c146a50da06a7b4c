use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared();
    tile[thread_idx().x] = 1.0;
    sync_threads();
    y[0] = tile[0];
}

fn main() {}
