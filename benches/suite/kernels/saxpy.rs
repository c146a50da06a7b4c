//! saxpy over 2²⁸ elements: y = a·x + y, one element per thread.

use cumbia::prelude::*;

use super::inputs::{random, sample, set_random, uniform};
use crate::workload::{ByHand, Entry, Parameter, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

variants! {
    #[kernel]
    fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
        let i = grid(1);
        if i < y.len() {
            y[i] = a * x[i] + y[i];
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy4(float a, const float4* __restrict__ x, float4* __restrict__ y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        v.x = a * u.x + v.x;
        v.y = a * u.y + v.y;
        v.z = a * u.z + v.z;
        v.w = a * u.w + v.w;
        y[i] = v;
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "saxpy 2^28",
    ..Entry::new(
        "saxpy",
        "saxpy, 2²⁸",
        CUDA_C,
        &[("saxpy", "CUDA C"), ("saxpy4", "CUDA C, float4")],
        new,
        cubins,
        inspected,
    )
};

struct Saxpy {
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

const A: f32 = 1.0001;
const SEEDS: [u32; 2] = [1, 2];

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(1 << 28, 1000);
    let [x, y] = SEEDS.map(|seed| random(device, n, seed, [0.0, 1.0]));
    Ok(Box::new(Saxpy { x: x?, y: y? }))
}

impl Workload for Saxpy {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let n = self.y.len();
        enqueue!(variant, saxpy(A, &self.x, &mut self.y).over(n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let (x, y, n) = (pointer(&self.x), pointer(&self.y), self.y.len());
        vec![
            ByHand::over("saxpy", n, &[Parameter::Float(A), x, y, int(n)]),
            ByHand::over("saxpy4", n / 4, &[Parameter::Float(A), x, y, int(n / 4)]),
        ]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        set_random(&mut self.y, SEEDS[1], [0.0, 1.0])
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        Ok((0..self.y.len()).map(|i| A * uniform(SEEDS[0], i, 0.0, 1.0) + uniform(SEEDS[1], i, 0.0, 1.0)).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(12 * self.y.len())
    }
}
