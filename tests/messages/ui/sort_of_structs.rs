use cumbia::algorithm::sort;
use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Particle {
    mass: f32,
}

fn by_mass(x: &mut DeviceArray<Particle>) -> cumbia::Result<()> {
    sort(x).launch()
}

fn main() {}
