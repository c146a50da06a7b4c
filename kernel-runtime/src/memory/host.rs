//! Host memory: allocation, and out-of-memory errors.

use std::alloc::{Layout, alloc, alloc_zeroed};

use super::Contents;
use crate::device::properties::host_memory;
use crate::error::{DeviceName, Error};

/// Allocates host memory. Returns `None` if the allocation fails or the size is 0 or not representable.
pub(super) fn allocate_on_host(layout: Option<Layout>, contents: Contents) -> Option<*mut u8> {
    let layout = layout.filter(|layout| layout.size() != 0)?;
    // SAFETY: the size is not 0.
    let pointer = unsafe {
        match contents {
            Contents::Nothing => alloc(layout),
            Contents::Zeros => alloc_zeroed(layout),
        }
    };
    (!pointer.is_null()).then_some(pointer)
}

/// Returns the out-of-memory error for `len` elements.
pub(crate) fn no_room<T>(device: DeviceName, len: usize) -> Error {
    out_of_memory(device, len.saturating_mul(size_of::<T>()))
}

/// Returns the out-of-memory error for a size in bytes.
pub(crate) fn out_of_memory(device: DeviceName, requested: usize) -> Error {
    let (free, total) = host_memory();
    Error::OutOfMemory { device, requested, free, total }
}
