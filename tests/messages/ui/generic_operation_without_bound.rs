use cumbia::prelude::*;

#[kernel]
fn kernel<T: cumbia::DeviceType>(x: &mut [T]) {
    x[0] = x[1] + x[2];
}

fn main() {}
