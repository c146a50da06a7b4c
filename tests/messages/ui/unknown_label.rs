use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    loop {
        break 'outer;
    }
}

fn main() {}
