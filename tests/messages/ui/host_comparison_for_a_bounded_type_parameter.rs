use cumbia::prelude::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceType)]
struct Energy(f32);

#[device]
fn same<T: DeviceType + PartialEq>(x: T, y: T) -> bool {
    x == y
}

#[device]
fn larger<T: DeviceType + PartialOrd>(x: T, y: T) -> T {
    if y > x { y } else { x }
}

#[kernel]
fn kernel(x: &mut [Energy], y: &mut [bool]) {
    y[0] = same(x[0], x[1]);
    x[0] = larger(x[0], x[1]);
}

fn main() {}

// mistakes: 2
