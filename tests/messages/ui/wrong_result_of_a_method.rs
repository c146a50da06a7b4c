use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn energy(&self) -> f32 {
        1
    }
}

fn main() {}
