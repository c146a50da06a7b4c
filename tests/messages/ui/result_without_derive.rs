use cumbia::prelude::*;

struct Point {
    x: f32,
}

#[device]
fn point(x: f32) -> Point {
    Point { x }
}

fn main() {}
