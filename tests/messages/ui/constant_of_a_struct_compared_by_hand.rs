use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Angle(i32);

#[device]
impl PartialEq for Angle {
    fn eq(&self, other: &Self) -> bool {
        self.0 % 360 == other.0 % 360
    }
}

const RIGHT: Angle = Angle(90);

#[kernel]
fn kernel(x: &[Angle], y: &mut [u32]) {
    y[0] = match x[0] {
        RIGHT => 1,
        _ => 0,
    };
}

fn main() {}
