use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    sync_threads(1);
}

fn main() {}
