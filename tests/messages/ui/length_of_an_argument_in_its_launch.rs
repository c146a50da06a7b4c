use cumbia::DeviceSliceMut;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Bodies<'a> {
    x: DeviceSliceMut<'a, f32>,
}

#[kernel]
fn kernel(bodies: Bodies<'_>) {
    bodies.x[0] = 1.0;
}

fn step(mut bodies: Bodies<'_>) -> cumbia::Result<()> {
    kernel(bodies.reborrow()).over(bodies.x.len()).launch()
}

fn main() {}
