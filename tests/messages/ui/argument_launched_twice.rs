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

fn steps(bodies: Bodies<'_>) -> cumbia::Result<()> {
    for _ in 0..10 {
        kernel(bodies).over(1).launch()?;
    }
    Ok(())
}

fn main() {}
