use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl PartialEq for Particle {
    fn eq(&self, other: &Self) -> bool {
        self.mass == other.mass
    }

    fn ne(&self, other: &Self) -> bool {
        self.mass != other.mass
    }
}

fn main() {}
