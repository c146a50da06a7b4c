use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let text = format!("{}", 1);
}

fn main() {}
