//! Histogram of 2²⁷ numbers below 256: each block counts in shared memory, and adds its counts to those of the grid.

use cumbia::prelude::*;

use super::inputs::random_below;
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

const BINS: usize = 256;

variants! {
    #[kernel(block = 256)]
    fn histogram(x: &[u32], counts: &mut [u32]) {
        let mut bins = shared::<[u32; BINS]>();
        let t = thread_idx().x;
        bins[t] = 0;
        sync_threads();
        for i in (grid(1)..x.len()).step_by(grid_size(1)) {
            atomic_add(&mut bins[x[i] as usize], 1);
        }
        sync_threads();
        atomic_add(&mut counts[t], bins[t]);
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void __launch_bounds__(256) histogram(const unsigned* __restrict__ x, unsigned* __restrict__ counts, int n) {
    __shared__ unsigned bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) atomicAdd(&bins[x[i]], 1);
    __syncthreads();
    atomicAdd(&counts[t], bins[t]);
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "histogram 2^27",
    tolerance: Tolerance::EXACT,
    ..Entry::new("histogram", "histogram, 2²⁷, 256 bins", CUDA_C, &[("histogram", "CUDA C")], new, cubins, inspected)
};

struct Histogram {
    blocks: usize,
    x: DeviceArray<u32>,
    counts: DeviceArray<u32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let (n, blocks) = (size.pick(1 << 27, 10_000), size.pick(1056, 3));
    Ok(Box::new(Histogram { blocks, x: random_below(device, n, 1, BINS)?, counts: device.zeros(BINS)? }))
}

impl Workload for Histogram {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        enqueue!(variant, histogram(&self.x, &mut self.counts).grid(self.blocks))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let parameters = [pointer(&self.x), pointer(&self.counts), int(self.x.len())];
        vec![ByHand::new("histogram", [self.blocks], [BINS], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.counts.fill(0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok(self.counts.to_host()?.into_iter().map(|count| count as f32).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let mut counts = vec![0.0; BINS];
        self.x.to_host()?.into_iter().for_each(|x| counts[x as usize] += 1.0);
        Ok(counts)
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.x.len())
    }
}
