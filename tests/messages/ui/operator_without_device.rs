use cumbia::prelude::*;
use std::ops::Add;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

impl Add for Energy {
    type Output = Energy;

    fn add(self, other: Energy) -> Energy {
        Energy(self.0 + other.0)
    }
}

#[kernel]
fn kernel(x: &mut [Energy]) {
    x[0] = x[0] + x[1];
}

fn main() {}
