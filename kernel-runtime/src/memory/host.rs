//! Host memory: allocation, out-of-memory errors, and its size.

use std::alloc::{Layout, alloc, alloc_zeroed};

use super::Contents;
use crate::error::Error;

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
pub(crate) fn no_room<T>(device: String, len: usize) -> Error {
    out_of_memory(device, len.saturating_mul(size_of::<T>()))
}

/// Returns the out-of-memory error for a size in bytes.
pub(crate) fn out_of_memory(device: String, requested: usize) -> Error {
    let (free, total) = host_memory();
    Error::OutOfMemory { device, requested, free, total }
}

/// Returns the host's available and total memory in bytes; 0 where the system does not report it.
pub(crate) fn host_memory() -> (usize, usize) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse().ok());
        kilobytes.map_or(0, |kilobytes: usize| kilobytes.saturating_mul(1024))
    };
    (field("MemAvailable:"), field("MemTotal:"))
}
