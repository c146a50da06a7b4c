// mistakes: 3
use cumbia::ArrayView2;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Rows<'a> {
    first: DeviceSlice<'a, f32>,
}

#[kernel]
fn kernel(rows: Rows<'_>, a: ArrayView2<f32>, n: usize, y: &mut [f32]) {
    for i in n {
        y[i] = 1.0;
    }
    for value in a.row(0) {
        y[0] += *value;
    }
    for value in rows.first {
        y[0] += *value;
    }
}

fn main() {}
