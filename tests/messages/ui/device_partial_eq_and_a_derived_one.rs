use cumbia::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[device(PartialEq)]
enum Kind {
    Fluid,
    Wall,
}

fn main() {}
