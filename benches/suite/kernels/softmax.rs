//! Softmax of the rows of a matrix of 16384 × 4096, a block per row, in three passes, of which the last two read the row from
//! the caches.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

const BLOCK: usize = 256;
const WARPS: usize = BLOCK / WARP_SIZE;

/// Returns the maximum of a value over the block, to all of its threads.
#[device]
fn block_max(value: f32) -> f32 {
    let mut parts = shared::<[f32; WARPS]>();
    let mut value = value;
    for delta in [16, 8, 4, 2, 1] {
        value = value.max(shfl_xor_sync(u32::MAX, value, delta));
    }
    sync_threads();
    if thread_idx().x % WARP_SIZE == 0 {
        parts[thread_idx().x / WARP_SIZE] = value;
    }
    sync_threads();
    for part in parts.iter() {
        value = value.max(*part);
    }
    value
}

/// Returns the sum of a value over the block, to all of its threads.
#[device]
fn block_sum(value: f32) -> f32 {
    let mut parts = shared::<[f32; WARPS]>();
    let mut value = value;
    for delta in [16, 8, 4, 2, 1] {
        value += shfl_xor_sync(u32::MAX, value, delta);
    }
    sync_threads();
    if thread_idx().x % WARP_SIZE == 0 {
        parts[thread_idx().x / WARP_SIZE] = value;
    }
    sync_threads();
    let mut sum = 0.0;
    for part in parts.iter() {
        sum += *part;
    }
    sum
}

variants! {
    #[kernel(block = 256)]
    fn softmax(x: ArrayView2<f32>, mut y: ArrayViewMut2<f32>) {
        let t = thread_idx().x;
        let from = x.row(block_idx().x);
        let mut to = y.row_mut(block_idx().x);
        let mut greatest = f32::NEG_INFINITY;
        for j in (t..from.len()).step_by(BLOCK) {
            greatest = greatest.max(from[j]);
        }
        greatest = block_max(greatest);
        let mut sum = 0.0;
        for j in (t..from.len()).step_by(BLOCK) {
            sum += (from[j] - greatest).exp();
        }
        let scale = 1.0 / block_sum(sum);
        for j in (t..from.len()).step_by(BLOCK) {
            to[j] = scale * (from[j] - greatest).exp();
        }
    }
}

const CUDA_C: &str = r#"
static __device__ float block_max(float value) {
    __shared__ float parts[8];
    for (int delta = 16; delta > 0; delta /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, delta));
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    for (int k = 0; k < 8; ++k) value = fmaxf(value, parts[k]);
    return value;
}

static __device__ float block_sum(float value) {
    __shared__ float parts[8];
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_xor_sync(0xffffffff, value, delta);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += parts[k];
    return sum;
}

extern "C" __global__ void __launch_bounds__(256) softmax(const float* __restrict__ x, float* __restrict__ y, int columns) {
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float greatest = __int_as_float(0xff800000);
    for (int j = threadIdx.x; j < columns; j += 256) greatest = fmaxf(greatest, x[j]);
    greatest = block_max(greatest);
    float sum = 0.0f;
    for (int j = threadIdx.x; j < columns; j += 256) sum += expf(x[j] - greatest);
    float scale = 1.0f / block_sum(sum);
    for (int j = threadIdx.x; j < columns; j += 256) y[j] = scale * expf(x[j] - greatest);
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "softmax 16384x4096 f32",
    ..Entry::new("softmax", "softmax, 16384 × 4096", CUDA_C, &[("softmax", "CUDA C")], new, cubins, inspected)
};

struct Softmax {
    rows: usize,
    columns: usize,
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let (rows, columns) = (size.pick(1 << 14, 3), size.pick(1 << 12, 700));
    let x = random(device, rows * columns, 1, [-4.0, 4.0])?;
    Ok(Box::new(Softmax { rows, columns, x, y: device.zeros(rows * columns)? }))
}

impl Workload for Softmax {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let shape = (self.rows, self.columns);
        enqueue!(variant, softmax(self.x.reshape(shape)?, self.y.reshape_mut(shape)?).grid(self.rows))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let parameters = [pointer(&self.x), pointer(&self.y), int(self.columns)];
        vec![ByHand::new("softmax", [self.rows], [BLOCK], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        // The greatest are about 1e-3.
        Ok(sample(&self.y)?.iter().map(|y| 1e3 * y).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let mut y = Vec::new();
        for row in self.x.to_host()?.chunks(self.columns) {
            let powers: Vec<f64> = row.iter().map(|x| f64::from(*x).exp()).collect();
            let sum: f64 = powers.iter().sum();
            y.extend(powers.iter().map(|power| (1e3 * power / sum) as f32));
        }
        Ok(y)
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.x.len())
    }
}
