//! GELU, the activation function x·Φ(x), of 10⁷ elements, one element per thread.

use std::f32::consts::FRAC_1_SQRT_2;

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

variants! {
    #[kernel]
    fn gelu(x: &[f32], y: &mut [f32]) {
        let i = grid(1);
        if i < y.len() {
            y[i] = 0.5 * x[i] * (1.0 + (x[i] * FRAC_1_SQRT_2).erf());
        }
    }
}

const CUDA_C: &str = r#"
__device__ float gelu_of(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

extern "C" __global__ void gelu(const float* __restrict__ x, float* __restrict__ y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = gelu_of(x[i]);
}

extern "C" __global__ void gelu4(const float4* __restrict__ x, float4* __restrict__ y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float4(gelu_of(v.x), gelu_of(v.y), gelu_of(v.z), gelu_of(v.w));
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "gelu 1e7",
    ..Entry::new(
        "gelu",
        "GELU, 10⁷",
        CUDA_C,
        &[("gelu", "CUDA C"), ("gelu4", "CUDA C, float4")],
        new,
        cubins,
        inspected,
    )
};

struct Gelu {
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(10_000_000, 1000);
    Ok(Box::new(Gelu { x: random(device, n, 1, [-4.0, 4.0])?, y: device.zeros(n)? }))
}

impl Workload for Gelu {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let n = self.y.len();
        enqueue!(variant, gelu(&self.x, &mut self.y).over(n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let (x, y, n) = (pointer(&self.x), pointer(&self.y), self.y.len());
        vec![ByHand::over("gelu", n, &[x, y, int(n)]), ByHand::over("gelu4", n / 4, &[x, y, int(n / 4)])]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    /// The error function by its series, which converges fast enough for |x| ≤ 4.
    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let erf = |x: f64| {
            let (mut term, mut sum) = (x, x);
            for k in 1..100 {
                term *= -x * x / f64::from(k);
                sum += term / f64::from(2 * k + 1);
            }
            sum * 2.0 / std::f64::consts::PI.sqrt()
        };
        let gelu = |x: &f32| {
            let x = f64::from(*x);
            (0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2))) as f32
        };
        Ok(self.x.to_host()?.iter().map(gelu).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.y.len())
    }
}
