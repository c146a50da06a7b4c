use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Color(u8);

#[derive(Clone, Copy, DeviceType)]
struct Pair<T> {
    first: T,
    second: T,
}

#[kernel]
fn kernel(x: &mut [Pair<Color>]) {}

fn main() {}
