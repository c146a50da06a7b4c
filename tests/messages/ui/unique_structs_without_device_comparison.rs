use cumbia::algorithm::unique;
use cumbia::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
struct Cell {
    row: u32,
    column: u32,
}

fn distinct(x: &DeviceArray<Cell>, y: &mut DeviceArray<Cell>) {
    let _ = unique(x, y);
}

fn main() {}
