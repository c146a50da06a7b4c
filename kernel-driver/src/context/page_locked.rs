//! Page-locked host memory from the driver: for asynchronous copies, and for buffers that kernels write.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::Context;
use crate::error::{CudaError, OUT_OF_MEMORY};
use crate::records::PORTABLE;

/// A page-locked allocation, zeroed.
pub struct PageLocked {
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
    /// A CUDA driver error: see [`CudaError::is_out_of_memory`].
    pub fn page_locked(self: &Arc<Self>, layout: Layout) -> Result<PageLocked, CudaError> {
        let bytes = layout.size();
        if bytes == 0 {
            // The driver rejects a size of 0. The pointer is aligned and never dereferenced.
            let pointer = layout.dangling_ptr().cast();
            return Ok(PageLocked { context: self.clone(), pointer, bytes });
        }
        self.bind()?;
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver().cuMemHostAlloc(&raw mut pointer, bytes, PORTABLE) }?;
        let pointer = NonNull::new(pointer).ok_or(CudaError { call: "cuMemHostAlloc", code: OUT_OF_MEMORY })?;
        // SAFETY: that many bytes were allocated just above; their contents are unspecified.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        Ok(PageLocked { context: self.clone(), pointer, bytes })
    }
}

impl PageLocked {
    /// Returns the address of the first byte.
    pub fn pointer(&self) -> *mut u8 {
        self.pointer.as_ptr().cast()
    }

    /// Prevents the memory from ever being freed.
    pub fn leak(&mut self) {
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
