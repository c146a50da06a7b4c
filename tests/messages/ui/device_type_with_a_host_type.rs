use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Color(u8);

#[derive(Clone, Copy, DeviceType)]
struct Pixel {
    color: Color,
}

fn main() {}
