//! Peer access between GPUs.
//!
//! The driver copies between any two GPUs. With peer access enabled the bytes are transferred directly, otherwise they
//! are staged through the host (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy").

use std::sync::Arc;

use super::Context;
use crate::error::{CudaError, PEER_ACCESS_ALREADY_ENABLED};
use crate::sync::Mutex;
use crate::sys::{CUmemAccess_flags, CUmemAccessDesc, CUmemLocationType};
use cumbia_kernel_sync::event;

/// The pairs of ordinals for which peer access was requested, the lower one first.
static REQUESTED: Mutex<Vec<[usize; 2]>> = Mutex::new(Vec::new());

/// Enables peer access between two GPUs in both directions if they support it. Done once per pair. On failure, copies
/// are staged through the host.
pub fn enable_peer_access(a: &Arc<Context>, b: &Arc<Context>) {
    let pair = [a.ordinal().min(b.ordinal()), a.ordinal().max(b.ordinal())];
    let mut requested = REQUESTED.lock();
    if requested.contains(&pair) {
        return;
    }
    requested.push(pair);
    for (from, to) in [(a, b), (b, a)] {
        let reached = enable_access(from, to);
        let (from, to) = (from.to_string(), to.to_string());
        event!(debug, target: "cumbia::transfer", from, to, ?reached, "peer access");
    }
}

/// Enables access from GPU `from` to the memory of `to`. Returns whether it is supported.
fn enable_access(from: &Context, to: &Context) -> Result<bool, CudaError> {
    let (driver, device, peer) = (from.driver(), from.device()?, to.device()?);
    let mut can = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceCanAccessPeer(&raw mut can, device, peer) }?;
    if can == 0 {
        return Ok(false);
    }
    if let Some(pool) = to.primary().pool {
        let access = CUmemAccessDesc {
            location_type: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            location_id: device,
            flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the pool belongs to the other GPU, and one descriptor is passed.
        unsafe { driver.cuMemPoolSetAccess(pool, &raw const access, 1) }?;
    }
    from.bind()?;
    // Allocations of other libraries need not come from a pool. Another library may have enabled the access already.
    // SAFETY: both contexts are retained, and the first is current.
    match unsafe { driver.cuCtxEnablePeerAccess(to.primary().raw, 0) } {
        Err(error) if error.code != PEER_ACCESS_ALREADY_ENABLED => Err(error),
        _ => Ok(true),
    }
}
