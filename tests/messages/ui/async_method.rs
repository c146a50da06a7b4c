use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    async fn energy(&self) -> f32 {
        1.0
    }
}

#[kernel]
fn kernel(p: Particle, x: &mut [f32]) {
    x[0] = p.energy();
}

fn main() {}
