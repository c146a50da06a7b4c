use cumbia::prelude::*;

struct Point {
    x: f32,
    y: f32,
}

#[kernel]
fn lengths(points: &[Point], others: &[Point], out: &mut [f32]) {
    let i = grid(1);
    let p = points[i];
    out[i] = p.x * p.x + points[i].y.powi(2) + others[i].x;
}

fn main() {}
