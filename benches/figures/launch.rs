//! Microseconds per launch, back to back, against a bare loop over `cuLaunchKernel` with the same arguments.

use std::ffi::c_void;

use cumbia::prelude::*;

use crate::raw::{RawKernel, memory};
use crate::time::{medians, ratio, row};

/// Does nothing, with a slice of each kind and a number: five parameters in CUDA C, and one more for faults.
#[kernel]
fn nothing(x: &[f32], y: &mut [f32], a: f32) {
    if a > 0.0 {
        y[0] = x[0];
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void nothing(const float* x, unsigned long long nx, float* y, unsigned long long ny, float a) {
    if (a > 0.0f) y[0] = x[0];
}
"#;

const LAUNCHES: u32 = 20_000;

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    let x = device.zeros(256)?;
    let mut y = device.zeros(256)?;
    let by_hand = RawKernel::new(CUDA_C, "nothing", "sm_90a")?;
    let (mut raw_x, mut raw_y, mut n, mut a) = (memory(1024), memory(1024), 256u64, 0.0f32);
    let mut m = n;
    let mut params: [*mut c_void; 5] = [
        (&raw mut raw_x).cast(),
        (&raw mut n).cast(),
        (&raw mut raw_y).cast(),
        (&raw mut m).cast(),
        (&raw mut a).cast(),
    ];
    let [ours, bare] = medians(
        9,
        [
            &mut || {
                for _ in 0..LAUNCHES {
                    nothing(&x, &mut y, 0.0).grid(1).block(256).launch().expect("a good launch");
                }
                device.synchronize().expect("no fault");
            },
            &mut || {
                for _ in 0..LAUNCHES {
                    // SAFETY: the parameters are those of the kernel above.
                    unsafe { by_hand.launch([1, 1], [256, 1], &mut params) };
                }
                by_hand.synchronize();
            },
        ],
    )
    .map(|time| time / LAUNCHES);
    println!("a launch, back to back, 3 arguments");
    row("cuLaunchKernel in a loop", bare, "");
    row("#[kernel]", ours, &format!("{:.3} times as long", ratio(ours, bare)));
    Ok(())
}
