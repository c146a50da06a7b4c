use cumbia::prelude::*;

#[device]
fn clear(mut line: ArrayViewMut1<'_, f32>) {
    line[0] = 0.0;
}

#[kernel]
fn kernel(a: ArrayView1<f32>, b: ArrayView2<f32>) {
    a[1..][0] = 1.0;
    clear(&mut b.row(0)[1..]);
}

fn main() {}

// mistakes: 2
