use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    if grid(1) > 0 {
        break;
    }
}

fn main() {}
