use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Bodies<'a> {
    x: DeviceSlice<'a, f32>,
    range: (usize, usize),
}

#[kernel]
fn kernel(bodies: Bodies<'_>, y: &mut [f32]) {
    y[0] = bodies.x[0];
}

fn main() {}
