//! Sum of two vectors of 10⁷ elements, one element per thread.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

variants! {
    #[kernel]
    fn vector_add(x: &[f32], y: &[f32], z: &mut [f32]) {
        let i = grid(1);
        if i < z.len() {
            z[i] = x[i] + y[i];
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void vector_add(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" __global__ void vector_add4(const float4* __restrict__ x, const float4* __restrict__ y, float4* __restrict__ z, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        z[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    }
}
"#;

const ENTRIES: &[(&str, &str)] = &[("vector_add", "CUDA C"), ("vector_add4", "CUDA C, float4")];

pub(crate) const ENTRY: Entry = Entry {
    peer: "vector add 1e7",
    ..Entry::new("vector_add", "vector add, 10⁷", CUDA_C, ENTRIES, new, cubins, inspected)
};

struct VectorAdd {
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
    z: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(10_000_000, 1000);
    let (x, y) = (random(device, n, 1, [-1.0, 1.0])?, random(device, n, 2, [-1.0, 1.0])?);
    Ok(Box::new(VectorAdd { x, y, z: device.zeros(n)? }))
}

impl Workload for VectorAdd {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let n = self.z.len();
        enqueue!(variant, vector_add(&self.x, &self.y, &mut self.z).over(n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let (x, y, z, n) = (pointer(&self.x), pointer(&self.y), pointer(&self.z), self.z.len());
        vec![
            ByHand::over("vector_add", n, &[x, y, z, int(n)]),
            ByHand::over("vector_add4", n / 4, &[x, y, z, int(n / 4)]),
        ]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.z.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.z)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        Ok(self.x.to_host()?.iter().zip(&self.y.to_host()?).map(|(x, y)| x + y).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(12 * self.z.len())
    }
}
