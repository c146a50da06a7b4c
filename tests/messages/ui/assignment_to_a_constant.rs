use cumbia::prelude::*;

const LIMIT: f32 = 2.0;

#[kernel]
fn kernel(x: &mut [f32]) {
    LIMIT = 3.0;
}

fn main() {}
