use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    static mut COUNT: u32 = 0;
    x[0] = 1.0;
}

fn main() {}
