use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Grid<'a> {
    cells: DeviceSlice<'a, f32>,
}

impl Grid<'_> {
    fn cell(&self, i: usize) -> f32 {
        i as f32
    }
}

#[derive(KernelArgument)]
struct World<'a> {
    grid: Grid<'a>,
}

#[kernel]
fn kernel(world: World<'_>, y: &mut [f32]) {
    y[0] = world.grid.cell(0);
}

fn main() {}
