//! Forces between 65536 bodies: a block loads the bodies in tiles of 256 vectors (position and mass) into shared memory.

use cumbia::prelude::*;
use cumbia::vector::{Float3, Float4};

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

const BLOCK: usize = 256;
/// The square of the softening length.
const SOFTENING: f32 = 1e-4;

variants! {
    #[kernel(block = 256, fast_math)]
    fn n_body(bodies: &[Float4], forces: &mut [Float3]) {
        let mut tile = shared::<[Float4; BLOCK]>();
        let (i, t, n) = (grid(1), thread_idx().x, bodies.len());
        let me = if i < n { bodies[i] } else { Float4::ZERO };
        let mut force = Float3::ZERO;
        for first in (0..n).step_by(BLOCK) {
            // A body of mass 0 exerts no force.
            tile[t] = if first + t < n { bodies[first + t] } else { Float4::ZERO };
            sync_threads();
            for k in 0..BLOCK {
                let other = tile[k];
                let (dx, dy, dz) = (other.x - me.x, other.y - me.y, other.z - me.z);
                let inverse = (dx * dx + dy * dy + dz * dz + SOFTENING).rsqrt();
                let strength = other.w * inverse * inverse * inverse;
                force.x += dx * strength;
                force.y += dy * strength;
                force.z += dz * strength;
            }
            sync_threads();
        }
        if i < forces.len() {
            forces[i] = force;
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void __launch_bounds__(256) n_body(const float4* __restrict__ bodies, float3* __restrict__ forces, int n) {
    __shared__ float4 tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 force = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += 256) {
        tile[t] = first + t < n ? bodies[first + t] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float strength = other.w * inverse * inverse * inverse;
            force.x += dx * strength;
            force.y += dy * strength;
            force.z += dz * strength;
        }
        __syncthreads();
    }
    if (i < n) forces[i] = force;
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "n-body 65536 f32",
    fast_math: true,
    // Sums of 65536 terms that cancel, in an approximate arithmetic.
    tolerance: Tolerance::relative(2e-3),
    ..Entry::new("n_body", "n-body, 65536", CUDA_C, &[("n_body", "CUDA C")], new, cubins, inspected)
};

struct NBody {
    n: usize,
    bodies: DeviceArray<f32>,
    forces: DeviceArray<Float3>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(1 << 16, 300);
    Ok(Box::new(NBody { n, bodies: random(device, 4 * n, 1, [0.0, 1.0])?, forces: device.zeros(n)? }))
}

impl Workload for NBody {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let bodies = self.bodies.cast()?;
        enqueue!(variant, n_body(&bodies, &mut self.forces).over(self.n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        vec![ByHand::over("n_body", self.n, &[pointer(&self.bodies), pointer(&self.forces), int(self.n)])]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.forces.fill(Float3::ZERO)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok(sample(&self.forces)?.iter().flat_map(|force| [force.x, force.y, force.z]).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let numbers: Vec<f64> = self.bodies.to_host()?.into_iter().map(f64::from).collect();
        let mut forces = Vec::new();
        for me in numbers.chunks(4) {
            let mut force = [0.0f64; 3];
            for other in numbers.chunks(4) {
                let d: [f64; 3] = std::array::from_fn(|k| other[k] - me[k]);
                let square = d.iter().map(|d| d * d).sum::<f64>() + f64::from(SOFTENING);
                (0..3).for_each(|k| force[k] += d[k] * other[3] / (square * square.sqrt()));
            }
            forces.extend(force.map(|part| part as f32));
        }
        Ok(forces)
    }

    fn work(&self) -> Work {
        Work::Flops(20.0 * (self.n as f64).powi(2))
    }
}
