//! Sum of 2²⁸ elements: a grid-stride loop, a reduction within each warp, and an atomic addition per warp; with scalar loads and
//! with loads of vectors.

use cumbia::prelude::*;
use cumbia::vector::Float4;

use super::inputs::random;
use crate::workload::{
    ByHand, Cubins, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants,
};

variants! {
    #[kernel]
    fn sum(x: &[f32], y: &mut [f32]) {
        let mut sum = 0.0;
        for i in (grid(1)..x.len()).step_by(grid_size(1)) {
            sum += x[i];
        }
        for delta in [16, 8, 4, 2, 1] {
            sum += shfl_down_sync(u32::MAX, sum, delta);
        }
        if lane_id() == 0 {
            atomic_add(&mut y[0], sum);
        }
    }

    #[kernel]
    fn sum4(x: &[Float4], y: &mut [f32]) {
        let mut sum = 0.0;
        for i in (grid(1)..x.len()).step_by(grid_size(1)) {
            sum += x[i].x + x[i].y + x[i].z + x[i].w;
        }
        for delta in [16, 8, 4, 2, 1] {
            sum += shfl_down_sync(u32::MAX, sum, delta);
        }
        if lane_id() == 0 {
            atomic_add(&mut y[0], sum);
        }
    }
}

const CUDA_C: &str = r#"
static __device__ void add(float sum, float* y) {
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x % 32 == 0) atomicAdd(y, sum);
}

extern "C" __global__ void sum(const float* __restrict__ x, float* __restrict__ y, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    add(sum, y);
}

extern "C" __global__ void sum4(const float4* __restrict__ x, float* __restrict__ y, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    add(sum, y);
}
"#;

pub(crate) const SCALAR: Entry = Entry {
    peer: "sum 2^28",
    tolerance: Tolerance::relative(1e-4),
    ..Entry::new(
        "sum",
        "sum, 2²⁸",
        CUDA_C,
        &[("sum", "CUDA C"), ("sum4", "CUDA C, float4")],
        new::<false>,
        cubins,
        inspected,
    )
};

pub(crate) const VECTORS: Entry = Entry {
    peer: "sum 2^28",
    tolerance: Tolerance::relative(1e-4),
    // The machine code of both kernels is that of the other entry.
    ..Entry::new("sum4", "sum by Float4, 2²⁸", CUDA_C, &[("sum4", "CUDA C")], new::<true>, none, Vec::new)
};

fn none(_architecture: &str) -> Cubins {
    Vec::new()
}

struct Sum {
    /// Whether the elements are read as vectors of four.
    by_vectors: bool,
    blocks: usize,
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

const BLOCK: usize = 256;

fn new<const VECTORS: bool>(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let x = random(device, size.pick(1 << 28, 10_000), 1, [0.0, 1.0])?;
    let mut y = device.zeros(1)?;
    // As many blocks as can be resident, so that none begins after another.
    let resident = sum(&x, &mut y).block(BLOCK).occupancy()?.resident_blocks();
    Ok(Box::new(Sum { by_vectors: VECTORS, blocks: size.pick(resident, 3), x, y }))
}

impl Workload for Sum {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        if self.by_vectors {
            let x = self.x.cast()?;
            enqueue!(variant, sum4(&x, &mut self.y).grid(self.blocks).block(BLOCK))
        } else {
            enqueue!(variant, sum(&self.x, &mut self.y).grid(self.blocks).block(BLOCK))
        }
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let (x, y, n) = (pointer(&self.x), pointer(&self.y), self.x.len());
        let scalar = ByHand::new("sum", [self.blocks], [BLOCK], &[x, y, int(n)]);
        let vectors = ByHand::new("sum4", [self.blocks], [BLOCK], &[x, y, int(n / 4)]);
        if self.by_vectors { vec![vectors] } else { vec![scalar, vectors] }
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        self.y.to_host()
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        Ok(vec![self.x.to_host()?.into_iter().map(f64::from).sum::<f64>() as f32])
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.x.len())
    }
}
