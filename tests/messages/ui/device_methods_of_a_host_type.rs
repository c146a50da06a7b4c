use cumbia::prelude::*;

struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn energy(&self) -> f32 {
        1.0
    }

    fn weight(&self) -> f32 {
        2.0
    }
}

fn main() {}
