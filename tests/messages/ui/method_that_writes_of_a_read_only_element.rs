use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Cell {
    age: u32,
}

#[device]
impl Cell {
    fn grow(&mut self) {
        self.age += 1;
    }
}

#[kernel]
fn grow(cells: &[Cell]) {
    cells[grid(1)].grow();
}

fn main() {}
