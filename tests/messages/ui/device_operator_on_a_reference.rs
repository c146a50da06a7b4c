use cumbia::prelude::*;
use std::ops::Add;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

#[device]
impl Add<&Energy> for Energy {
    type Output = Energy;

    fn add(self, other: &Energy) -> Energy {
        Energy(self.0 + other.0)
    }
}

fn main() {}
