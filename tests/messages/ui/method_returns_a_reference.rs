use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn mass(&self) -> &f32 {
        &self.mass
    }
}

fn main() {}
