use cumbia::prelude::*;

trait Shape {
    fn area(&self) -> f32;
}

#[kernel]
fn areas(shapes: &[&dyn Shape], y: &mut [f32]) {
    y[0] = shapes[0].area();
}

fn main() {}
