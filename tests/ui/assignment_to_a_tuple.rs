use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let mut a = 1.0;
    let mut b = 2.0;
    (a, b) = (b, a);
}

fn main() {}
