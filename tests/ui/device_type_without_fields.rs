use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Marker;

fn main() {}
