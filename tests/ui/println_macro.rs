use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    println!("{}", grid(1));
}

fn main() {}
