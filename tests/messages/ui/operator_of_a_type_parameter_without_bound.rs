use cumbia::prelude::*;

#[device]
fn sum<T: DeviceType>(x: T, y: T) -> T {
    x + y
}

fn main() {}
