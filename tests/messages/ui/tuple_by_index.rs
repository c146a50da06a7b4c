use cumbia::prelude::*;

#[kernel]
fn sums(out: &mut [f32]) {
    let pair = (1.0, 2.0);
    out[0] = pair[0] + pair.1;
}

fn main() {}
