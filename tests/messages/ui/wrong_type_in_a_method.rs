use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn energy(&self) -> f32 {
        let twice: i32 = self.mass;
        1.0
    }
}

fn main() {}
