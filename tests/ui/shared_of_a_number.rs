use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let one = shared::<f32>();
}

fn main() {}
