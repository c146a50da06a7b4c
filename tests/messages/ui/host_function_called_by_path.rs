use cumbia::prelude::*;

mod helpers {
    pub fn square(x: f32) -> f32 {
        x * x
    }
}

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = helpers::square(3.0);
}

fn main() {}
