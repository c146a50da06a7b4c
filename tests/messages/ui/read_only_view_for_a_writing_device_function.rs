use cumbia::prelude::*;

#[device]
fn clear(mut line: ArrayViewMut1<'_, f32>) {
    line[0] = 0.0;
}

#[device]
fn reset(line: &mut [f32]) {
    line[0] = 0.0;
}

#[kernel]
fn kernel(b: ArrayView2<f32>, mut c: ArrayViewMut2<f32>) {
    clear(c.row(0));
    reset(b.row(0).as_slice_mut().unwrap());
    reset(c.row_mut(0).as_slice().unwrap());
}

fn main() {}

// mistakes: 3
