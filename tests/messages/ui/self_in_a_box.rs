use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn energy(self: Box<Self>) -> f32 {
        1.0
    }
}

#[kernel]
fn kernel(p: Particle, x: &mut [f32]) {
    x[0] = p.energy();
}

fn main() {}
