use cumbia::prelude::*;
use cumbia::DeviceSliceMut;

#[derive(KernelArgument)]
struct Grid<'a> {
    cells: DeviceSliceMut<'a, f32>,
}

#[derive(KernelArgument)]
struct World<'a> {
    grid: Grid<'a>,
}

#[device]
impl Grid<'_> {
    fn clear(self, i: usize) {
        self.cells[i] = 0.0;
    }
}

#[device]
impl World<'_> {
    fn clear(&self) {
        self.grid.clear(0);
    }
}

fn main() {}
