//! A time step of 2²⁵ particles in a box, as an array of structs of 32 bytes that is updated in place.

use cumbia::prelude::*;
use cumbia::vector::Float3;

use super::inputs::{sample, uniform};
use crate::workload::{ByHand, Entry, Parameter, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    position: Float3,
    mass: f32,
    velocity: Float3,
    charge: f32,
}

#[device]
impl Particle {
    /// Advances the particle in a field along x, with walls at 0 and 1 that reflect it.
    fn advance(&mut self, field: f32, dt: f32) {
        self.velocity.x += dt * field * self.charge / self.mass;
        self.position = self.position + self.velocity * dt;
        if self.position.x < 0.0 || self.position.x > 1.0 {
            self.velocity.x = -self.velocity.x;
        }
        if self.position.y < 0.0 || self.position.y > 1.0 {
            self.velocity.y = -self.velocity.y;
        }
        if self.position.z < 0.0 || self.position.z > 1.0 {
            self.velocity.z = -self.velocity.z;
        }
    }
}

variants! {
    #[kernel]
    fn particles(field: f32, dt: f32, particles: &mut [Particle]) {
        let i = grid(1);
        if i < particles.len() {
            particles[i].advance(field, dt);
        }
    }
}

const CUDA_C: &str = r#"
struct Particle {
    float3 position;
    float mass;
    float3 velocity;
    float charge;
};

extern "C" __global__ void particles(float field, float dt, Particle* __restrict__ particles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle& p = particles[i];
        p.velocity.x += dt * field * p.charge / p.mass;
        p.position.x += p.velocity.x * dt;
        p.position.y += p.velocity.y * dt;
        p.position.z += p.velocity.z * dt;
        if (p.position.x < 0.0f || p.position.x > 1.0f) p.velocity.x = -p.velocity.x;
        if (p.position.y < 0.0f || p.position.y > 1.0f) p.velocity.y = -p.velocity.y;
        if (p.position.z < 0.0f || p.position.z > 1.0f) p.velocity.z = -p.velocity.z;
    }
}
"#;

pub(crate) const ENTRY: Entry =
    Entry::new("particles", "particles, structs, 2²⁵", CUDA_C, &[("particles", "CUDA C")], new, cubins, inspected);

/// Returns a particle of the initial state.
#[device]
fn initial(i: usize) -> Particle {
    let position = Float3::new(uniform(1, i, 0.0, 1.0), uniform(2, i, 0.0, 1.0), uniform(3, i, 0.0, 1.0));
    let velocity = Float3::new(uniform(4, i, -1.0, 1.0), uniform(5, i, -1.0, 1.0), uniform(6, i, -1.0, 1.0));
    Particle { position, mass: uniform(7, i, 1.0, 2.0), velocity, charge: uniform(8, i, -1.0, 1.0) }
}

#[kernel(fmad = false)]
fn set_initial(particles: &mut [Particle]) {
    let i = grid(1);
    if i < particles.len() {
        particles[i] = initial(i);
    }
}

const FIELD: f32 = 0.5;
const DT: f32 = 0.01;

struct Particles {
    particles: DeviceArray<Particle>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(1 << 25, 1000);
    let start = Particle { position: Float3::ZERO, mass: 1.0, velocity: Float3::ZERO, charge: 0.0 };
    let mut particles = device.zeros(n)?;
    particles.fill(start)?;
    let mut workload = Particles { particles };
    workload.reset()?;
    Ok(Box::new(workload))
}

fn numbers(particle: &Particle) -> [f32; 6] {
    let (p, v) = (particle.position, particle.velocity);
    [p.x, p.y, p.z, v.x, v.y, v.z]
}

impl Workload for Particles {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let n = self.particles.len();
        enqueue!(variant, particles(FIELD, DT, &mut self.particles).over(n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let n = self.particles.len();
        let parameters = [Parameter::Float(FIELD), Parameter::Float(DT), pointer(&self.particles), int(n)];
        vec![ByHand::over("particles", n, &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        let n = self.particles.len();
        set_initial(&mut self.particles).over(n).launch()
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok(sample(&self.particles)?.iter().flat_map(numbers).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let mut particles: Vec<_> = (0..self.particles.len()).map(initial).collect();
        for particle in &mut particles {
            particle.advance(FIELD, DT);
        }
        Ok(particles.iter().flat_map(numbers).collect())
    }

    /// All of a particle is read, and its position and velocity are written.
    fn work(&self) -> Work {
        Work::Bytes((32 + 24) * self.particles.len())
    }
}
