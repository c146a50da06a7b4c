use cumbia::prelude::*;

const NAME: &str = "saxpy";

#[kernel]
fn kernel(x: &mut [f32]) {
    let name = NAME;
}

fn main() {}
