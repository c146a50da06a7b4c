use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Cell {
    mass: f32,
}

impl Cell {
    fn get(self) -> f32 {
        self.mass
    }
}

#[kernel]
fn kernel(cell: Cell, y: &mut [f32]) {
    y[0] = cell.get();
}

fn main() {}
