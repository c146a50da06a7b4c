use cumbia::prelude::*;

#[derive(Clone, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn weight(&self) -> f32 {
        9.81 * self.mass
    }
}

#[kernel]
fn kernel(particles: &[Particle], y: &mut [f32]) {
    let i = grid(1);
    let heavy = Particle { mass: 2.0 * particles[i].mass };
    y[i] = heavy.weight() + particles[i].weight();
}

fn main() {}
