use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    cumbia::intrinsics::sync_thread();
}

fn main() {}
