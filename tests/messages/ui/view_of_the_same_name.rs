use cumbia::prelude::*;

mod mine {
    #[derive(Clone, Copy)]
    pub struct ArrayView2<T>(pub T);
}

use mine::ArrayView2;

#[kernel]
fn kernel(x: ArrayView2<f32>, out: &mut [f32]) {
    out[0] = x[[0, 0]];
}

fn main() {
    let _ = ArrayView2(0.0);
}
