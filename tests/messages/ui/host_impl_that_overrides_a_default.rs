use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Disc {
    radius: f32,
}

#[derive(Clone, Copy, DeviceType)]
struct Scaled<T: DeviceType> {
    shape: T,
}

#[device]
trait Shape: DeviceType {
    fn area(&self) -> f32 {
        1.0
    }

    fn sides(&self) -> u32 {
        4
    }
}

impl Shape for Disc {
    fn area(&self) -> f32 {
        self.radius * self.radius * 3.14
    }
}

impl<T: Shape> Shape for Scaled<T> {
    fn area(&self) -> f32 {
        self.shape.area() * 4.0
    }
}

impl Shape for f32 {}

fn main() {}

// mistakes: 3
