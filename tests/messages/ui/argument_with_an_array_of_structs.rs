use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
struct Bank<'a> {
    values: DeviceSlice<'a, f32>,
}

#[derive(KernelArgument)]
struct Banks<'a> {
    banks: [Bank<'a>; 2],
}

fn main() {}
