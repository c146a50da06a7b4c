use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[device(PartialEq)]
struct Angle(i32);

#[device]
impl PartialEq for Angle {
    fn eq(&self, other: &Self) -> bool {
        self.0 % 360 == other.0 % 360
    }
}

fn main() {}
