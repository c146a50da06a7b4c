//! Matrix multiplication on the GPU, naive and with 16×16 tiles in shared memory, against the same kernels in CUDA C.

use std::ffi::c_void;

use cumbia::prelude::*;

use crate::raw::{RawKernel, memory};
use crate::time::{medians, ratio, row};

/// C = A·B for square matrices, one thread per element.
#[kernel]
fn naive(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (col, row) = grid(2);
    if row < n && col < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

/// Like [`naive`], with 32-bit indices.
#[kernel(index = u32)]
fn naive_narrow(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (col, row) = grid(2);
    if row < n && col < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

pub(crate) const TILE: usize = 16;

/// C = A·B for square matrices whose size is a multiple of the tile size.
#[kernel]
pub(crate) fn tiled(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let mut tile_a = shared::<[[f32; TILE]; TILE]>();
    let mut tile_b = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (col, row) = grid(2);
    let mut sum = 0.0;
    for k in 0..n / TILE {
        tile_a[ty][tx] = a[row * n + k * TILE + tx];
        tile_b[ty][tx] = b[(k * TILE + ty) * n + col];
        sync_threads();
        for q in 0..TILE {
            sum += tile_a[ty][q] * tile_b[q][tx];
        }
        sync_threads();
    }
    c[row * n + col] = sum;
}

const CUDA_C: &str = r#"
typedef unsigned long long usize;
extern "C" __global__ void naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, usize n) {
    usize col = blockIdx.x * (usize)blockDim.x + threadIdx.x, row = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (usize k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}
extern "C" __global__ void naive_narrow(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, usize size) {
    unsigned n = size, col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (unsigned k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}
extern "C" __global__ void tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, usize n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    usize tx = threadIdx.x, ty = threadIdx.y;
    usize col = blockIdx.x * (usize)blockDim.x + tx, row = blockIdx.y * (usize)blockDim.y + ty;
    float sum = 0.0f;
    for (usize k = 0; k < n / 16; ++k) {
        tile_a[ty][tx] = a[row * n + k * 16 + tx];
        tile_b[ty][tx] = b[(k * 16 + ty) * n + col];
        __syncthreads();
        for (usize q = 0; q < 16; ++q) sum += tile_a[ty][q] * tile_b[q][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
"#;

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    for n in [1024, 4096] {
        let numbers: Vec<f32> = (0..n * n).map(|i| (i % 13) as f32 * 0.1).collect();
        let a = device.to_device(&numbers)?;
        let mut c = device.zeros(n * n)?;
        let blocks = n / TILE;
        let batch = if n == 1024 { 20 } else { 3 };
        println!("product, n = {n}, 16×16 blocks");
        let c = std::cell::RefCell::new(&mut c);
        let mut ours_naive = || {
            for _ in 0..batch {
                let mut c = c.borrow_mut();
                naive(&a, &a, &mut **c, n).grid((blocks, blocks)).block((TILE, TILE)).launch().expect("a good launch");
            }
            device.synchronize().expect("no fault");
        };
        let mut ours_narrow = || {
            for _ in 0..batch {
                let mut c = c.borrow_mut();
                let launch = naive_narrow(&a, &a, &mut **c, n).grid((blocks, blocks)).block((TILE, TILE));
                launch.launch().expect("a good launch");
            }
            device.synchronize().expect("no fault");
        };
        let mut ours_tiled = || {
            for _ in 0..batch {
                let mut c = c.borrow_mut();
                tiled(&a, &a, &mut **c, n).grid((blocks, blocks)).block((TILE, TILE)).launch().expect("a good launch");
            }
            device.synchronize().expect("no fault");
        };
        let mut by_hand = by_hand(n, batch)?;
        let [mut hand_naive, mut hand_narrow, mut hand_tiled] = by_hand.each_mut().map(|launch| move || launch());
        let [naive, cuda_naive] = medians(9, [&mut ours_naive, &mut hand_naive]).map(|time| time / batch);
        let [narrow, cuda_narrow] = medians(9, [&mut ours_narrow, &mut hand_narrow]).map(|time| time / batch);
        let [tiled, cuda_tiled] = medians(9, [&mut ours_tiled, &mut hand_tiled]).map(|time| time / batch);
        let rate = |time: std::time::Duration| 2.0 * (n as f64).powi(3) / time.as_secs_f64() / 1e12;
        let narrow_name = "naive, 32-bit indices";
        for (what, ours, cuda) in
            [("naive", naive, cuda_naive), (narrow_name, narrow, cuda_narrow), ("16×16 tiles", tiled, cuda_tiled)]
        {
            row(&format!("{what}, hand-written CUDA C++"), cuda, &format!("{:.2} TFLOP/s", rate(cuda)));
            row(
                &format!("{what}, #[kernel]"),
                ours,
                &format!("{:.2} TFLOP/s, {:.4} of CUDA C's speed", rate(ours), ratio(cuda, ours)),
            );
        }
    }
    Ok(())
}

/// Returns the three hand-written kernels, each of which a call launches `batch` times.
fn by_hand(n: usize, batch: u32) -> cumbia::Result<[Box<dyn FnMut()>; 3]> {
    let [naive, narrow, tiled] =
        ["naive", "naive_narrow", "tiled"].map(|entry| RawKernel::new(CUDA_C, entry, "sm_90a"));
    let launches = |kernel: RawKernel| -> Box<dyn FnMut()> {
        let (mut a, mut b, mut c, mut n) = (memory(4 * n * n), memory(4 * n * n), memory(4 * n * n), n as u64);
        Box::new(move || {
            let mut params: [*mut c_void; 4] =
                [(&raw mut a).cast(), (&raw mut b).cast(), (&raw mut c).cast(), (&raw mut n).cast()];
            let blocks = (n / 16) as u32;
            for _ in 0..batch {
                // SAFETY: the parameters are those of the kernels above.
                unsafe { kernel.launch([blocks, blocks], [16, 16], &mut params) };
            }
            kernel.synchronize();
        })
    };
    Ok([launches(naive?), launches(narrow?), launches(tiled?)])
}
