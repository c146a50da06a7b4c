use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[kernel]
fn kernel(x: &mut [f32]) {
    let points = shared::<[Point; 4]>();
}

fn main() {}
