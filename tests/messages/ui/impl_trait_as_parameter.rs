use cumbia::prelude::*;

#[device]
trait Shape {
    fn area(self) -> f32;
}

#[device]
fn twice(shape: impl Shape) -> f32 {
    2.0 * shape.area()
}

fn main() {}
