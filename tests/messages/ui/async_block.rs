use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let later = async { 1 };
}

fn main() {}
