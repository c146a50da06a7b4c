use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    'block: {
        break 'block;
    }
}

fn main() {}
