use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    #[cfg(debug_assertions)]
    if grid(1) == 0 {
        x[0] = 1.0;
    }
}

fn main() {}
