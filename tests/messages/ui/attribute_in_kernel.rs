use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    #[allow(unused_variables)]
    let one = 1.0;
}

fn main() {}
