use cumbia::prelude::*;

#[device]
fn half<T: Float>(a: T) -> T {
    a
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = half(x[0] as u32) as f32;
}

fn main() {}
