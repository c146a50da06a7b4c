use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

#[device]
impl Energy {
    fn scaled(self, by: f32) -> f32 {
        by * self.0
    }
}

#[kernel]
fn kernel(x: &[Energy], y: &mut [f32]) {
    y[0] = x[0].scaled();
}

fn main() {}
