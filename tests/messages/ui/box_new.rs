use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let boxed = Box::new(1.0);
}

fn main() {}
