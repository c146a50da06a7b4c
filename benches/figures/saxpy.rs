//! saxpy over 2²⁸ elements, against a hand-written CUDA C kernel.

use std::ffi::c_void;

use cumbia::prelude::*;

use crate::raw::{RawKernel, memory};
use crate::time::{medians, ratio, row};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(unchecked)]
fn saxpy_unchecked(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned long long n) {
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"#;

const N: usize = 1 << 28;
const BLOCK: usize = 256;
/// The number of launches per measurement, which amortises the synchronization.
const BATCH: usize = 20;

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    let numbers: Vec<f32> = (0..N).map(|i| (i % 1000) as f32 * 1e-3).collect();
    let x = device.to_device(&numbers)?;
    let mut y = device.to_device(&numbers)?;
    let by_hand = RawKernel::new(CUDA_C, "saxpy", "sm_90a")?;
    let (mut a, mut raw_x, mut raw_y, mut n) = (1.0001f32, memory(4 * N), memory(4 * N), N as u64);
    let mut params: [*mut c_void; 4] =
        [(&raw mut a).cast(), (&raw mut raw_x).cast(), (&raw mut raw_y).cast(), (&raw mut n).cast()];
    let blocks = N / BLOCK;

    // Both Cumbia kernels write the same array, alternately.
    let y = std::cell::RefCell::new(&mut y);
    let [checked, unchecked, cuda_c] = medians(
        15,
        [
            &mut || {
                for _ in 0..BATCH {
                    saxpy(1.0001, &x, &mut **y.borrow_mut()).grid(blocks).block(BLOCK).launch().expect("a good launch");
                }
                device.synchronize().expect("no fault");
            },
            &mut || {
                for _ in 0..BATCH {
                    let mut y = y.borrow_mut();
                    let launch = saxpy_unchecked(1.0001, &x, &mut **y).grid(blocks).block(BLOCK);
                    // SAFETY: the kernel compares its index with the length, and both arrays have that length.
                    unsafe { launch.launch() }.expect("a good launch");
                }
                device.synchronize().expect("no fault");
            },
            &mut || {
                for _ in 0..BATCH {
                    // SAFETY: the parameters are those of the kernel above.
                    unsafe { by_hand.launch([blocks as u32, 1], [BLOCK as u32, 1], &mut params) };
                }
                by_hand.synchronize();
            },
        ],
    )
    .map(|time| time / BATCH as u32);
    println!("saxpy, n = 2^28, block {BLOCK}");
    let rate = |time: std::time::Duration| format!("{:.0} GB/s", 12.0 * N as f64 / time.as_secs_f64() / 1e9);
    row("hand-written CUDA C++", cuda_c, &rate(cuda_c));
    row("#[kernel]", checked, &format!("{}, {:.4} of CUDA C's speed", rate(checked), ratio(cuda_c, checked)));
    row(
        "#[kernel(unchecked)]",
        unchecked,
        &format!("{}, {:.4} of CUDA C's speed", rate(unchecked), ratio(cuda_c, unchecked)),
    );
    Ok(())
}
