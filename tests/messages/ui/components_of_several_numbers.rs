use cumbia::Components;
use cumbia::prelude::*;

#[derive(Clone, Copy, Components, DeviceType)]
#[repr(C)]
struct Record {
    weight: f32,
    count: u32,
}

fn main() {}
