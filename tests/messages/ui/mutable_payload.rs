use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Shape {
    Nothing,
    Circle(f32),
}

#[device]
fn grow(shape: &mut Shape) {
    match shape {
        Shape::Circle(radius) => *radius *= 2.0,
        Shape::Nothing => {}
    }
}

fn main() {}
