use cumbia::prelude::*;

#[kernel]
fn kernel(n: u32, y: &mut [f32]) {
    assert_eq!(y.len(), 4u32);
    y[0] = n as f32;
}

fn main() {}
