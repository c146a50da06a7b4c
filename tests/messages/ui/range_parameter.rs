use cumbia::prelude::*;
use std::ops::Range;

#[kernel]
fn ones(range: Range<usize>, out: &mut [f32]) {
    for i in range {
        out[i] = 1.0;
    }
}

fn main() {}
