use cumbia::prelude::*;

enum Kind {
    Fluid,
    Wall,
}

#[kernel]
fn kernel(kinds: &[Kind], y: &mut [f32]) {
    let i = grid(1);
    y[i] = match kinds[i] {
        Kind::Fluid => 1.0,
        Kind::Wall => 0.0,
    };
}

fn main() {}
