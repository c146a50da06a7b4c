use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[device(PartialOrd)]
struct Energy(f32);

fn main() {}
