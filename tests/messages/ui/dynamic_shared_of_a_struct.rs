use cumbia::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[kernel]
fn kernel(x: &mut [f32]) {
    let points = dynamic_shared::<Point>();
}

fn main() {}
