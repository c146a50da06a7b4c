use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let name = "saxpy";
}

fn main() {}
