use cumbia::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32;
}

#[kernel]
fn kernel<S: DeviceType>(shapes: &[S], areas: &mut [f32]) {
    areas[0] = shapes[0].area();
}

fn main() {}
