use cumbia::prelude::*;

#[device]
fn zero<T: Number>() -> T {
    T::ZERO
}

#[kernel]
fn kernel(x: &mut [f32]) {
    let n = zero();
}

fn main() {}
