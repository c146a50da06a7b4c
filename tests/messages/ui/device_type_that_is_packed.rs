use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Header {
    kind: u8,
    length: u32,
}

fn main() {}
