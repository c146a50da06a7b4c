//! GPUs that reach each other's memory.
//!
//! The driver copies between any two GPUs. Where they are connected and were told to reach each other's memory, the bytes go
//! straight from one to the other, and else through the host (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy").

use std::ffi::c_int;
use std::sync::Arc;

use cudarc::driver::sys::{CUdevice, CUmemAccess_flags, CUmemLocationType};

use super::context::Context;
use super::refusal::Refusal;
use crate::sync::Mutex;
use crate::warning::event;

/// The pairs that were told, the lower number first.
static CONNECTED: Mutex<Vec<[usize; 2]>> = Mutex::new(Vec::new());

/// Lets two GPUs reach each other's memory, if they can. Done once for each pair. Where it is refused, copies take the detour.
pub(crate) fn connect(a: &Arc<Context>, b: &Arc<Context>) {
    let pair = [a.ordinal().min(b.ordinal()), a.ordinal().max(b.ordinal())];
    let mut connected = CONNECTED.lock();
    if connected.contains(&pair) {
        return;
    }
    connected.push(pair);
    for (from, to) in [(a, b), (b, a)] {
        let reached = let_reach(from, to);
        let (from, to) = (from.to_string(), to.to_string());
        event!(debug, target: "cumbia::transfer", from, to, ?reached, "reach the other's memory");
    }
}

/// Lets `from` reach the memory of `to`, and says whether it can.
fn let_reach(from: &Context, to: &Context) -> Result<bool, Refusal> {
    let (driver, device, peer) = (from.driver(), from.device()?, to.device()?);
    let mut can = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceCanAccessPeer(&raw mut can, device, peer) }?;
    if can == 0 {
        return Ok(false);
    }
    if let Some(pool) = to.primary().pool {
        let access = Access::of(device);
        // SAFETY: the pool is that of the other GPU, and there is one description.
        unsafe { driver.cuMemPoolSetAccess(pool, &raw const access, 1) }?;
    }
    from.bind()?;
    // Memory of other libraries may be from no pool. Another library may have done so already.
    // SAFETY: both contexts are retained, and the first is current.
    match unsafe { driver.cuCtxEnablePeerAccess(to.primary().raw, 0) } {
        Err(refusal) if refusal.code != super::refusal::PEER_ACCESS_ALREADY_ENABLED => Err(refusal),
        _ => Ok(true),
    }
}

/// `CUmemAccessDesc`: what a GPU may do with the memory of a pool. cudarc's has other fields for other versions of CUDA.
#[repr(C)]
pub(crate) struct Access {
    location_type: c_int,
    location_id: c_int,
    flags: c_int,
}

impl Access {
    /// A GPU may read and write.
    fn of(device: CUdevice) -> Access {
        Access {
            location_type: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE as c_int,
            location_id: device,
            flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE as c_int,
        }
    }
}
