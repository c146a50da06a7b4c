use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Default for Particle {
    fn default() -> Self {
        Particle { mass: 1.0 }
    }
}

fn main() {}
