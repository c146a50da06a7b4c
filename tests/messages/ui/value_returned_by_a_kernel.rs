use cumbia::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    if grid(1) >= y.len() {
        return 1;
    }
    y[grid(1)] = 2.0;
}

fn main() {}
