use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

impl Particle {
    #[device]
    fn new(mass: f32) -> Self {
        Particle { mass }
    }
}

fn main() {}
