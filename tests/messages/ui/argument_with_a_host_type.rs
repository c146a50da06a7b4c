use cumbia::DeviceSlice;
use cumbia::prelude::*;

struct Name<'a>(&'a str);

#[derive(KernelArgument)]
struct Particles<'a> {
    velocity: DeviceSlice<'a, f32>,
    name: Name<'a>,
}

fn main() {}
