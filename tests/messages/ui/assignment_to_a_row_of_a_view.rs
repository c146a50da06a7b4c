use cumbia::prelude::*;

#[kernel]
fn kernel(mut a: ArrayViewMut2<f32>, b: ArrayView3<f32>) {
    a.row(0)[1] = 1.0;
    let line = a.column(2);
    line[1] += 2.0;
    let plane = b.plane(0);
    plane.row(1)[0] = 3.0;
    for v in a.row(0).iter_mut() {
        *v = 4.0;
    }
}

fn main() {}

// mistakes: 4
