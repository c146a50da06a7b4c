use cumbia::prelude::*;

#[derive(Clone, Copy, Default, DeviceType)]
struct Point {
    x: f32,
}

#[kernel]
fn kernel(y: &mut [f32]) {
    let point = if y.len() > 3 { Some(Point { x: 1.0 }) } else { None };
    y[0] = point.unwrap_or_default().x;
}

fn main() {}
