use cumbia::prelude::*;

#[derive(Clone, DeviceType)]
struct Particle {
    mass: f32,
}

fn main() {}
