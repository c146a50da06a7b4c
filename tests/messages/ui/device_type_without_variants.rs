use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
enum Never {}

fn main() {}
