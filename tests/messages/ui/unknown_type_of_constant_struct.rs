use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Point;

const ORIGIN: Point = Point;

#[kernel]
fn kernel(x: &mut [f32]) {
    let p = ORIGIN;
}

fn main() {}
