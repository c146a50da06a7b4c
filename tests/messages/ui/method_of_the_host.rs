use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let n = x[0].total_cmp(&x[1]);
}

fn main() {}
