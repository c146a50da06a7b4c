#[derive(Clone, Copy, PartialEq)]
#[derive(PartialEq)]
enum Kind {
    Fluid,
    Wall,
}

fn main() {}
