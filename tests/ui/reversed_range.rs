use cumbia::prelude::*;

#[kernel]
fn backwards(x: &mut [f32]) {
    for i in (0..x.len()).rev() {
        x[i] = 1.0;
    }
}

fn main() {}
