use cumbia::prelude::*;

#[device]
trait Activation {
    fn apply(&self, x: f32) -> f32;
}

#[kernel]
fn kernel<A: Activation>(activation: A, y: &mut [f32]) {
    y[0] = activation.apply(y[0], 1.0);
}

fn main() {}
