//! Page-locked host memory from the driver: for asynchronous copies, and for buffers that kernels write.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::sys::CUdeviceptr;

use super::context::Context;
use super::driver::Driver;
use super::error::{CudaError, OUT_OF_MEMORY};
use crate::error::Error;
use crate::memory::out_of_memory;

/// `CU_MEMHOSTALLOC_PORTABLE`: page-locked for all contexts of the process. Not write-combined, so that host reads are
/// as fast as those of pageable memory.
const PORTABLE: u32 = 0x01;

/// `CU_MEMHOSTALLOC_DEVICEMAP`: mapped into the device's address space.
const MAPPED: u32 = 0x02;

/// Allocates page-locked host memory that all GPUs of the process can write. Returns its host address, and its device
/// address for the current context. Free it with `cuMemFreeHost`.
pub(super) fn alloc_mapped(driver: &Driver, bytes: usize) -> Result<(NonNull<c_void>, CUdeviceptr), CudaError> {
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

/// A page-locked allocation, zeroed.
pub(crate) struct PageLocked {
    context: Arc<Context>,
    pointer: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: the memory belongs to this object, whose only access to it is the free.
unsafe impl Send for PageLocked {}
// SAFETY: as above.
unsafe impl Sync for PageLocked {}

impl Context {
    /// Allocates page-locked memory, aligned to a page.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or a CUDA driver error.
    pub(crate) fn page_locked(self: &Arc<Self>, layout: Layout) -> Result<PageLocked, Error> {
        let bytes = layout.size();
        if bytes == 0 {
            // The driver rejects a size of 0. The pointer is aligned and never dereferenced.
            let pointer = layout.dangling_ptr().cast();
            return Ok(PageLocked { context: self.clone(), pointer, bytes });
        }
        self.bind()?;
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        let allocated = unsafe { self.driver().cuMemHostAlloc(&raw mut pointer, bytes, PORTABLE) };
        let pointer = match (allocated, NonNull::new(pointer)) {
            (Ok(()), Some(pointer)) => pointer,
            (Ok(()), None) | (Err(CudaError { code: OUT_OF_MEMORY, .. }), _) => {
                return Err(out_of_memory("the host (page-locked)".to_owned(), bytes));
            }
            (Err(error), _) => return Err(error.into()),
        };
        // SAFETY: that many bytes were allocated just above; their contents are unspecified.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        Ok(PageLocked { context: self.clone(), pointer, bytes })
    }
}

impl PageLocked {
    /// Returns the address of the first byte.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer.as_ptr().cast()
    }

    /// Prevents the memory from ever being freed.
    pub(crate) fn leak(&mut self) {
        self.bytes = 0;
    }
}

impl Drop for PageLocked {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let free = || {
            self.context.bind()?;
            // SAFETY: allocated by `page_locked`, and no copy uses it: the owner has waited for all copies.
            unsafe { self.context.driver().cuMemFreeHost(self.pointer.as_ptr()) }
        };
        if let Err(error) = free() {
            self.context.primary().note_drop_error(error);
        }
    }
}
