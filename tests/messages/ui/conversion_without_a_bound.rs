use cumbia::prelude::*;

#[kernel]
fn kernel<T: Number>(x: &[T], out: &mut [f64]) {
    out[0] = f64::from(x[0]);
}

fn main() {}
