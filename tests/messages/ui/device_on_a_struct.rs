use cumbia::prelude::*;

#[device]
struct Particle {
    mass: f32,
}

fn main() {}
