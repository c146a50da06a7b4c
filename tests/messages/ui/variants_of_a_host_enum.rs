use cumbia::prelude::*;

#[derive(Clone, Copy)]
#[repr(u32)]
enum Hit {
    Miss,
    At(f32),
}

#[kernel]
fn kernel(hits: &[f32], y: &mut [f32]) {
    let hit = Hit::At(hits[0]);
    if let Hit::At(t) = hit {
        y[0] = t;
    }
}

fn main() {}
