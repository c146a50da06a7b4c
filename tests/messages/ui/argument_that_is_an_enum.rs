use cumbia::DeviceSlice;
use cumbia::prelude::*;

#[derive(KernelArgument)]
enum Input<'a> {
    One(DeviceSlice<'a, f32>),
    None,
}

fn main() {}
