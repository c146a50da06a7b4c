use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let none = None::<f32>;
}

fn main() {}
