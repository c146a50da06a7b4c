use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = grid(1);
    assert!(i < 7, "thread {} gave up", i);
}

fn main() {}
