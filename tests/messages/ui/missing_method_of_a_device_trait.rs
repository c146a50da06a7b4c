use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Circle(f32);

#[device]
trait Shape {
    fn area(&self) -> f32;
    fn length(&self) -> f32;
}

#[device]
impl Shape for Circle {
    fn area(&self) -> f32 {
        self.0
    }
}

fn main() {}
