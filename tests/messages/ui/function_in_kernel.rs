use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    fn square(x: f32) -> f32 {
        x * x
    }
    x[0] = square(3.0);
}

fn main() {}
