use cumbia::prelude::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceType)]
enum Kind {
    Fluid,
    Wall,
}

#[device(PartialEq, PartialOrd)]
#[derive(Clone, Copy, DeviceType)]
struct Cell {
    kind: Kind,
    neighbours: [Kind; 4],
    mass: f32,
}

#[device(PartialEq)]
#[derive(Clone, Copy, DeviceType)]
struct Pair<T> {
    first: T,
    second: T,
}

#[kernel]
fn kernel(x: &[Pair<Kind>], y: &mut [bool]) {
    y[0] = x[0] == x[1];
}

fn main() {}

// mistakes: 2
