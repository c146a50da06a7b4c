use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Energy(f32);

#[device]
impl Energy {
    fn new(value: f32) -> Energy {
        Energy(value)
    }

    fn scaled(self, by: f32) -> f32 {
        by * self.0
    }
}

#[kernel]
fn kernel(x: &[Energy], y: &mut [f32]) {
    y[0] = Energy::new().0 + x[0].0;
}

fn main() {}
