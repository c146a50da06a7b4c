use cumbia::Components;
use cumbia::prelude::*;

#[derive(Clone, Copy, Components, DeviceType)]
#[repr(u8)]
enum Kind {
    Fluid,
    Wall,
}

fn main() {}
