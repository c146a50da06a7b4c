use cumbia::DeviceSliceMut;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Line<'a>(DeviceSliceMut<'a, f32>);

#[device]
fn length(line: &Line<'_>) -> usize {
    line.0.len()
}

#[kernel]
fn kernel(line: Line<'_>, y: &mut [f32]) {
    y[0] = length(line) as f32;
}

fn main() {}
