//! Product of square matrices in single precision: a block computes 128 × 128 elements from tiles of 128 × 8 that are double
//! buffered in shared memory, and a thread 8 × 8 of them in registers.

use cumbia::prelude::*;
use cumbia::vector::Float4;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

/// The rows and columns of a block.
const BLOCK: usize = 128;
/// The depth of a tile.
const DEPTH: usize = 8;
/// The vectors of four elements in a row of a block.
const VECTORS: usize = BLOCK / 4;

variants! {
    #[kernel(block = 256, launch_bounds(256, 2))]
    fn sgemm(a: &[f32], b: &[Float4], c: &mut [Float4], n: usize) {
        // Tiles of a column by column, each as vectors of four rows, and of b row by row. A column of a has a vector more, so
        // that the stores of a warp use different banks.
        let mut a_tile = shared::<[[[Float4; VECTORS + 1]; DEPTH]; 2]>();
        let mut b_tile = shared::<[[[Float4; VECTORS]; DEPTH]; 2]>();
        let t = thread_idx().x;
        let (first_row, first_vector) = (block_idx().y * BLOCK, block_idx().x * VECTORS);
        let (tx, ty) = (t % 16, t / 16);

        // What the thread loads: four rows of a column of a, and a vector of a row of b.
        let (a_k, a_rows) = (t % DEPTH, t / DEPTH);
        let (b_k, b_vector) = (t / VECTORS, t % VECTORS);
        let a_first = (first_row + 4 * a_rows) * n + a_k;
        let b_first = b_k * (n / 4) + first_vector + b_vector;
        a_tile[0][a_k][a_rows] = Float4::new(a[a_first], a[a_first + n], a[a_first + 2 * n], a[a_first + 3 * n]);
        b_tile[0][b_k][b_vector] = b[b_first];
        sync_threads();

        let mut sums = [[0.0f32; 8]; 8];
        let tiles = n / DEPTH;
        for tile in 0..tiles {
            let here = tile % 2;
            let next = 1 - here;
            let mut a_next = Float4::ZERO;
            let mut b_next = Float4::ZERO;
            if tile + 1 < tiles {
                let i = a_first + (tile + 1) * DEPTH;
                a_next = Float4::new(a[i], a[i + n], a[i + 2 * n], a[i + 3 * n]);
                b_next = b[b_first + (tile + 1) * DEPTH * (n / 4)];
            }
            #[unroll]
            for k in 0..DEPTH {
                let (p, q) = (a_tile[here][k][ty], a_tile[here][k][ty + 16]);
                let (r, s) = (b_tile[here][k][tx], b_tile[here][k][tx + 16]);
                let rows = [p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w];
                let columns = [r.x, r.y, r.z, r.w, s.x, s.y, s.z, s.w];
                #[unroll]
                for i in 0..8 {
                    #[unroll]
                    for j in 0..8 {
                        sums[i][j] += rows[i] * columns[j];
                    }
                }
            }
            if tile + 1 < tiles {
                a_tile[next][a_k][a_rows] = a_next;
                b_tile[next][b_k][b_vector] = b_next;
            }
            sync_threads();
        }

        #[unroll]
        for i in 0..8 {
            let row = first_row + i / 4 * 64 + 4 * ty + i % 4;
            let vector = row * (n / 4) + first_vector + tx;
            c[vector] = Float4::new(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
            c[vector + 16] = Float4::new(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void __launch_bounds__(256, 2) sgemm(const float* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c, int n) {
    __shared__ float4 a_tile[2][8][33];
    __shared__ float4 b_tile[2][8][32];
    int t = threadIdx.x, first_row = blockIdx.y * 128, first_vector = blockIdx.x * 32;
    int tx = t % 16, ty = t / 16;
    int a_k = t % 8, a_rows = t / 8, b_k = t / 32, b_vector = t % 32;
    int a_first = (first_row + 4 * a_rows) * n + a_k;
    int b_first = b_k * (n / 4) + first_vector + b_vector;
    a_tile[0][a_k][a_rows] = make_float4(a[a_first], a[a_first + n], a[a_first + 2 * n], a[a_first + 3 * n]);
    b_tile[0][b_k][b_vector] = b[b_first];
    __syncthreads();

    float sums[8][8] = {};
    int tiles = n / 8;
    for (int tile = 0; tile < tiles; ++tile) {
        int here = tile % 2, next = 1 - here;
        float4 a_next, b_next;
        if (tile + 1 < tiles) {
            int i = a_first + (tile + 1) * 8;
            a_next = make_float4(a[i], a[i + n], a[i + 2 * n], a[i + 3 * n]);
            b_next = b[b_first + (tile + 1) * 8 * (n / 4)];
        }
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 p = a_tile[here][k][ty], q = a_tile[here][k][ty + 16];
            float4 r = b_tile[here][k][tx], s = b_tile[here][k][tx + 16];
            float rows[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
            float columns[8] = {r.x, r.y, r.z, r.w, s.x, s.y, s.z, s.w};
            #pragma unroll
            for (int i = 0; i < 8; ++i)
                #pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += rows[i] * columns[j];
        }
        if (tile + 1 < tiles) {
            a_tile[next][a_k][a_rows] = a_next;
            b_tile[next][b_k][b_vector] = b_next;
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        int row = first_row + i / 4 * 64 + 4 * ty + i % 4;
        float4* to = c + row * (n / 4) + first_vector + tx;
        to[0] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        to[16] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}
"#;

pub(crate) const SMALLER: Entry = Entry {
    peer: "sgemm 1024",
    tolerance: Tolerance::relative(1e-4),
    ..Entry::new("sgemm1024", "sgemm, 128×128×8, 1024", CUDA_C, &[("sgemm", "CUDA C")], new::<1024>, cubins, inspected)
};

pub(crate) const LARGER: Entry = Entry {
    peer: "sgemm 4096",
    tolerance: Tolerance::relative(1e-4),
    ..Entry::new("sgemm4096", "sgemm, 128×128×8, 4096", CUDA_C, &[("sgemm", "CUDA C")], new::<4096>, cubins, inspected)
};

struct Sgemm {
    n: usize,
    a: DeviceArray<f32>,
    b: DeviceArray<f32>,
    c: DeviceArray<f32>,
}

fn new<const N: usize>(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(N, 128);
    let (a, b) = (random(device, n * n, 1, [-1.0, 1.0])?, random(device, n * n, 2, [-1.0, 1.0])?);
    Ok(Box::new(Sgemm { n, a, b, c: device.zeros(n * n)? }))
}

impl Workload for Sgemm {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let (n, blocks) = (self.n, self.n / BLOCK);
        let (b, mut c) = (self.b.cast()?, self.c.cast_mut()?);
        enqueue!(variant, sgemm(&self.a, &b, &mut c, n).grid((blocks, blocks)))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let parameters = [pointer(&self.a), pointer(&self.b), pointer(&self.c), int(self.n)];
        vec![ByHand::new("sgemm", [self.n / BLOCK; 2], [256], &parameters)]
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
