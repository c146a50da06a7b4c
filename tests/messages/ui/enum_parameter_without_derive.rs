use cumbia::prelude::*;

enum Kind {
    Leaf,
    Node,
}

#[kernel]
fn kernel(kind: Kind, y: &mut [f32]) {
    y[grid(1)] = match kind {
        Kind::Leaf => 1.0,
        Kind::Node => 2.0,
    };
}

fn main() {}
