use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[device]
fn helper(p: Point) -> f32 {
    p.x
}

fn main() {}
