use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Cell {
    neighbour: Option<u32>,
}

fn main() {}
