use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

#[device]
impl Particle {
    fn energy(&self) -> f32 {
        let square = |x: f32| x * x;
        self.mass
    }
}

#[kernel]
fn kernel(p: Particle, x: &mut [f32]) {
    x[0] = p.energy();
}

fn main() {}
