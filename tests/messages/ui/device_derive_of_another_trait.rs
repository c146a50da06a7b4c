use cumbia::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, DeviceType)]
#[device(Ord)]
struct Key(u32);

#[derive(Clone, Copy, DeviceType)]
#[device(PartialEq, Hash, PartialEq)]
struct Other(u32);

#[derive(Clone, Copy, DeviceType)]
#[device(fmad = false)]
enum Kind {
    Fluid,
    Wall,
}

#[derive(Clone, Copy, DeviceType)]
#[device(unsafe(cuda = "return 1;"))]
struct Foreign(u32);

fn main() {}

// mistakes: 5
