use cumbia::prelude::*;

struct Point {
    x: f32,
    y: f32,
}

#[kernel]
fn kernel(x: &mut [f32]) {
    let point = Point { x: 1.0, y: 2.0 };
}

fn main() {}
