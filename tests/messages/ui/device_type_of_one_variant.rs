use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
enum Kind {
    Only,
}

fn main() {}
