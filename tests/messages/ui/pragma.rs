use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    #pragma unroll
    for i in 0..4 {
        x[i] = 0.0;
    }
}

fn main() {}
