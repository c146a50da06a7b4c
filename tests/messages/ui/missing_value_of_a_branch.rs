use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    x[0] = if grid(1) == 0 { 1.0 };
}

fn main() {}
