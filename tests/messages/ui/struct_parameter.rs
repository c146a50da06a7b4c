use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[kernel]
fn kernel(p: Point) {}

fn main() {}
