use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

impl Energy {
    fn twice(self) -> f32 {
        2.0 * self.0
    }
}

#[kernel]
fn kernel(x: &[Energy], y: &mut [f32]) {
    y[0] = x[0].twice();
}

fn main() {}
