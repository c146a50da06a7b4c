//! Product of square matrices of 4096 by tiles of 16 × 16 in shared memory, one element per thread.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

const TILE: usize = 16;

variants! {
    #[kernel(block = (16, 16))]
    fn product(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
        let mut a_tile = shared::<[[f32; TILE]; TILE]>();
        let mut b_tile = shared::<[[f32; TILE]; TILE]>();
        let (column, row) = grid(2);
        let (x, y) = (thread_idx().x, thread_idx().y);
        let mut sum = 0.0;
        for first in (0..n).step_by(TILE) {
            // Elements outside of the matrices do not contribute to the sum.
            a_tile[y][x] = if row < n && first + x < n { a[row * n + first + x] } else { 0.0 };
            b_tile[y][x] = if first + y < n && column < n { b[(first + y) * n + column] } else { 0.0 };
            sync_threads();
            for k in 0..TILE {
                sum += a_tile[y][k] * b_tile[k][x];
            }
            sync_threads();
        }
        if row < n && column < n {
            c[row * n + column] = sum;
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void __launch_bounds__(256) product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float a_tile[16][16], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 16) {
        a_tile[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0.0f;
        b_tile[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    tolerance: Tolerance::relative(1e-4),
    ..Entry::new("product", "product, 16×16 tiles, 4096", CUDA_C, &[("product", "CUDA C")], new, cubins, inspected)
};

struct Product {
    n: usize,
    a: DeviceArray<f32>,
    b: DeviceArray<f32>,
    c: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(4096, 50);
    let (a, b) = (random(device, n * n, 1, [-1.0, 1.0])?, random(device, n * n, 2, [-1.0, 1.0])?);
    Ok(Box::new(Product { n, a, b, c: device.zeros(n * n)? }))
}

impl Workload for Product {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let n = self.n;
        enqueue!(variant, product(&self.a, &self.b, &mut self.c, n).over((n, n)))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let parameters = [pointer(&self.a), pointer(&self.b), pointer(&self.c), int(self.n)];
        vec![ByHand::new("product", [self.n.div_ceil(TILE); 2], [TILE; 2], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.c.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.c)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        Ok(super::host_product(&self.a.to_host()?, &self.b.to_host()?, self.n))
    }

    fn work(&self) -> Work {
        Work::Flops(2.0 * (self.n as f64).powi(3))
    }
}
