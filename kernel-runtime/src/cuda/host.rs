//! Page-locked memory of the host, from the driver: what a GPU copies from and to, and what kernels write themselves.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::sys::CUdeviceptr;

use super::context::Context;
use super::driver::Driver;
use super::refusal::{OUT_OF_MEMORY, Refusal};
use crate::error::Error;
use crate::memory::out_of_memory;

/// `CU_MEMHOSTALLOC_PORTABLE`: page-locked for all GPUs of the process. Not write-combined, so that the host reads it as fast as
/// its other memory.
const PORTABLE: u32 = 0x01;

/// `CU_MEMHOSTALLOC_DEVICEMAP`: kernels reach it too.
const MAPPED: u32 = 0x02;

/// Allocates page-locked host memory that all GPUs of the process can write, and gives it with its address for the context
/// that is current. `cuMemFreeHost` frees it.
pub(super) fn mapped(driver: &Driver, bytes: usize) -> Result<(NonNull<c_void>, CUdeviceptr), Refusal> {
    let mut host: *mut c_void = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuMemHostAlloc(&raw mut host, bytes, PORTABLE | MAPPED) }?;
    let Some(host) = NonNull::new(host) else {
        return Err(Refusal { call: "cuMemHostAlloc", code: OUT_OF_MEMORY });
    };
    let mut device = 0;
    // SAFETY: the memory was allocated as mapped just above.
    if let Err(refusal) = unsafe { driver.cuMemHostGetDevicePointer_v2(&raw mut device, host.as_ptr(), 0) } {
        // The first refusal says more than one of this.
        // SAFETY: allocated just above, and nobody has it.
        let _ = unsafe { driver.cuMemFreeHost(host.as_ptr()) };
        return Err(refusal);
    }
    Ok((host, device))
}

/// Page-locked memory, all zeros at first.
pub(crate) struct PageLocked {
    context: Arc<Context>,
    pointer: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: the memory belongs to this object, which does nothing with it but free it.
unsafe impl Send for PageLocked {}
// SAFETY: as above.
unsafe impl Sync for PageLocked {}

impl Context {
    /// Allocates page-locked memory. It starts on a page.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or what the driver refused.
    pub(crate) fn page_locked(self: &Arc<Self>, layout: Layout) -> Result<PageLocked, Error> {
        let bytes = layout.size();
        if bytes == 0 {
            // The driver allocates no 0 bytes. Aligned, and never read.
            let pointer = layout.dangling_ptr().cast();
            return Ok(PageLocked { context: self.clone(), pointer, bytes });
        }
        self.bind()?;
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        let allocated = unsafe { self.driver().cuMemHostAlloc(&raw mut pointer, bytes, PORTABLE) };
        let pointer = match (allocated, NonNull::new(pointer)) {
            (Ok(()), Some(pointer)) => pointer,
            (Ok(()), None) | (Err(Refusal { code: OUT_OF_MEMORY, .. }), _) => {
                return Err(out_of_memory("the host (page-locked)".to_owned(), bytes));
            }
            (Err(refusal), _) => return Err(refusal.into()),
        };
        // SAFETY: that many bytes have been allocated just now. The driver does not say what is in them.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        Ok(PageLocked { context: self.clone(), pointer, bytes })
    }
}

impl PageLocked {
    /// The first byte.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer.as_ptr().cast()
    }

    /// Never frees the memory.
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
            // SAFETY: allocated by `page_locked`, and no copy uses it: the owner has waited for them.
            unsafe { self.context.driver().cuMemFreeHost(self.pointer.as_ptr()) }
        };
        if let Err(refusal) = free() {
            self.context.primary().note_dropped(refusal);
        }
    }
}
