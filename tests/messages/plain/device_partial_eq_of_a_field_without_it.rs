#[derive(Clone, Copy)]
enum Kind {
    Fluid,
    Wall,
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Cell {
    kind: Kind,
    neighbours: [Kind; 4],
    mass: f32,
}

#[derive(Clone, Copy, PartialEq)]
struct Pair<T> {
    first: T,
    second: T,
}

fn kernel(x: &[Pair<Kind>], y: &mut [bool]) {
    y[0] = x[0] == x[1];
}

fn main() {}
