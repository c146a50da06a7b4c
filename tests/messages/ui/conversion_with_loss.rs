use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[u64], out: &mut [f32]) {
    out[0] = f32::from(x[0]);
}

fn main() {}
