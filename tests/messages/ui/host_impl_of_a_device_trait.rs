use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
trait Energy {
    fn energy(&self) -> f32;
}

impl Energy for Particle {
    fn energy(&self) -> f32 {
        self.mass
    }
}

fn main() {}
