use cumbia::prelude::*;

#[kernel]
fn kernel(mut a: ArrayViewMut2<'_, f32>) {
    a.row_mut(0).fill(1.0);
}

fn main() {}
