use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
enum Shape {
    Circle(f32),
    Point,
}

fn main() {}
