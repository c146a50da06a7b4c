use cumbia::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
enum Kind {
    Fluid,
    Wall,
}

#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceType)]
struct Key {
    id: u32,
    mass: f32,
}

#[kernel]
fn kernel(kinds: &[Kind], keys: &[Key], y: &mut [bool]) {
    y[0] = kinds[0] == Kind::Wall;
    y[1] = keys[0] != keys[1];
    y[2] = keys[0] < keys[1];
    y[3] = keys[0] >= keys[1];
    y[4] = [keys[0]] == [keys[1]];
    y[5] = (1, keys[0]) == (2, keys[1]);
    y[6] = [(keys[0], 1)] < [(keys[1], 2)];
    assert_eq!(kinds[0] == Kind::Fluid, y[0]);
}

fn main() {}

// mistakes: 6
