use cumbia::prelude::*;

struct Particle {
    mass: f32,
}

#[device]
trait Energy {
    fn energy(&self) -> f32;
}

#[device]
impl Energy for Particle {
    fn energy(&self) -> f32 {
        1.0
    }
}

fn main() {}
