use cumbia::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let mut i = 0;
    for v in x.iter() {
        y[i] = v;
        i += 1;
    }
}

fn main() {}
