// mistakes: 4
use cumbia::prelude::*;

#[device]
fn norm(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for v in x {
        sum += *v * *v;
    }
    sum.sqrt()
}

#[device]
fn clear(x: &mut [f32]) {
    x[0] = 0.0;
}

#[kernel]
fn kernel(a: ArrayView2<f32>, b: ArrayView1<f32>, c: ArrayViewMut1<f32>, y: &mut [f32]) {
    y[0] = norm(a.row(0));
    y[1] = norm(&b[..]);
    y[2] = norm(b);
    clear(c);
}

fn main() {}
