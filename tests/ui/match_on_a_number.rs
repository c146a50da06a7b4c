use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let i = grid(1);
    match i {
        0 => x[0] = 1.0,
        _ => x[1] = 2.0,
    }
}

fn main() {}
