use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

macro_rules! energy {
    () => {
        fn energy(&self) -> f32 {
            self.mass
        }
    };
}

#[device]
impl Particle {
    energy!();
}

fn main() {}
