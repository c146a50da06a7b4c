use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Point {
    x: f32,
}

#[kernel]
fn kernel(a: Point, y: &mut [u32]) {
    y[0] = (Some(a) == None) as u32;
}

fn main() {}
