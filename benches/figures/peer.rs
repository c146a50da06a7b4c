//! Copies between two GPUs, against a bare `cuMemcpyPeerAsync` and against copies within one GPU.

use std::ptr::null_mut;

use cudarc::driver::sys::{self, cudaError_enum};
use cumbia::prelude::*;

use crate::time::{medians, row};

const BYTES: usize = 256 << 20;

pub(crate) fn figures(first: &Device) -> cumbia::Result<()> {
    let Ok(second) = Device::cuda(1) else {
        println!("no second GPU: copies between GPUs are skipped");
        return Ok(());
    };
    println!("a copy of {} MiB from {first} to {second}", BYTES >> 20);
    let x = first.to_device(&vec![7u8; BYTES])?;
    let (mut y, mut z) = (second.zeros::<u8>(BYTES)?, first.zeros::<u8>(BYTES)?);
    let by_hand = ByHand::new();
    let [ours, bare, within] = medians(
        9,
        [
            &mut || {
                y.copy_from(&x).expect("a good copy");
                second.synchronize().expect("no fault");
            },
            &mut || by_hand.copy(),
            &mut || {
                z.copy_from(&x).expect("a good copy");
                first.synchronize().expect("no fault");
            },
        ],
    );
    assert!(y.to_host()?.iter().all(|&byte| byte == 7));
    let speed = |time: std::time::Duration| format!("{:.0} GB/s", BYTES as f64 / time.as_secs_f64() / 1e9);
    row("cuMemcpyPeerAsync without peer access", bare, &speed(bare));
    row("`copy_from`", ours, &speed(ours));
    row("`copy_from` within the first GPU", within, &speed(within));
    Ok(())
}

/// Memory on each GPU without peer access from the other.
struct ByHand {
    contexts: [sys::CUcontext; 2],
    addresses: [u64; 2],
}

impl ByHand {
    fn new() -> ByHand {
        let (mut contexts, mut addresses) = ([null_mut(); 2], [0; 2]);
        for (device, (context, address)) in contexts.iter_mut().zip(&mut addresses).enumerate() {
            // SAFETY: Cumbia has opened both devices. The pointers are valid for the writes. The contexts are new,
            // since peer access is enabled between those that Cumbia uses.
            unsafe {
                check(sys::cuCtxCreate_v2(context, 0, device as i32));
                check(sys::cuMemAlloc_v2(address, BYTES));
            }
        }
        ByHand { contexts, addresses }
    }

    fn copy(&self) {
        let ([from, to], [source, target]) = (self.contexts, self.addresses);
        // SAFETY: the addresses are those of allocations of `BYTES` bytes in these contexts, which are never destroyed.
        unsafe {
            check(sys::cuCtxSetCurrent(to));
            check(sys::cuMemcpyPeerAsync(target, to, source, from, BYTES, null_mut()));
            check(sys::cuCtxSynchronize());
        }
    }
}

#[track_caller]
fn check(status: sys::CUresult) {
    assert_eq!(status, cudaError_enum::CUDA_SUCCESS);
}
