use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Angle(f32);

#[device(unchecked)]
impl Angle {
    fn double(self) -> f32 {
        2.0 * self.0
    }
}

fn main() {}
