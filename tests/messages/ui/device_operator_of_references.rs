use cumbia::prelude::*;
use std::ops::Add;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

#[device]
impl Add for &Energy {
    type Output = Energy;

    fn add(self, other: Self) -> Energy {
        Energy(self.0 + other.0)
    }
}

fn main() {}
