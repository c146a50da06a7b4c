//! Records in host memory that kernels write, and the hidden parameter by which a kernel finds them.

mod fault;
mod parameter;
mod print;

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::sys::CUdeviceptr;

use crate::driver::Driver;
use crate::error::{CudaError, OUT_OF_MEMORY};

pub(crate) use fault::FaultRecord;
pub use fault::{FAULT_ARGS, FAULT_RECORD_BYTES, RawFault};
pub use parameter::LaunchParameter;
pub(crate) use print::PrintBuffers;
pub use print::{PRINT_BUFFER_BYTES, PRINT_HEADER_BYTES, Prints};

/// `CU_MEMHOSTALLOC_PORTABLE`: page-locked for all contexts of the process. Not write-combined, so that host reads are
/// as fast as those of pageable memory.
pub(crate) const PORTABLE: u32 = 0x01;

/// `CU_MEMHOSTALLOC_DEVICEMAP`: mapped into the device's address space.
const MAPPED: u32 = 0x02;

/// Allocates page-locked host memory that all GPUs of the process can write. Returns its host address, and its device
/// address for the current context. Free it with `cuMemFreeHost`.
pub(crate) fn alloc_mapped(driver: &Driver, bytes: usize) -> Result<(NonNull<c_void>, CUdeviceptr), CudaError> {
    let mut host: *mut c_void = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuMemHostAlloc(&raw mut host, bytes, PORTABLE | MAPPED) }?;
    let Some(host) = NonNull::new(host) else {
        return Err(CudaError { call: "cuMemHostAlloc", code: OUT_OF_MEMORY });
    };
    let mut device = 0;
    // SAFETY: the memory was allocated as mapped just above.
    if let Err(error) = unsafe { driver.cuMemHostGetDevicePointer_v2(&raw mut device, host.as_ptr(), 0) } {
        // The first error is the informative one.
        // SAFETY: allocated just above, and not shared.
        let _ = unsafe { driver.cuMemFreeHost(host.as_ptr()) };
        return Err(error);
    }
    Ok((host, device))
}
