use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    for value in x {
        sum += value;
    }
}

fn main() {}
