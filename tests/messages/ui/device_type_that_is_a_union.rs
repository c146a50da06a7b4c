use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
union Bits {
    float: f32,
    integer: u32,
}

fn main() {}
