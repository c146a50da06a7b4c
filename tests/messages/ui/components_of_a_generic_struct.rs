use cumbia::Components;
use cumbia::prelude::*;

#[derive(Clone, Copy, Components, DeviceType)]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: T,
}

fn main() {}
