use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

impl Particle {
    #[device]
    fn energy(&self) -> f32 {
        self.mass
    }
}

fn main() {}
