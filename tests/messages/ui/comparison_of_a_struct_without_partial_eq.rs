use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

#[kernel]
fn kernel(x: &mut [Energy], same: &mut [bool]) {
    same[0] = x[0] == x[1];
}

fn main() {}
