//! Memory of the host: how much there is, and getting some.

use std::alloc::{Layout, alloc, alloc_zeroed};

use super::Contents;
use crate::error::Error;

/// Memory of the host; `None` where there is not that much, or nothing is asked for.
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

/// The host has no room for `len` elements.
pub(crate) fn no_room<T>(device: String, len: usize) -> Error {
    out_of_memory(device, len.saturating_mul(size_of::<T>()))
}

/// The host has no room for so many bytes.
pub(crate) fn out_of_memory(device: String, requested: usize) -> Error {
    let (free, total) = host_memory();
    Error::OutOfMemory { device, requested, free, total }
}

/// Bytes of the host's memory: available and in all; both 0 where the system does not say.
pub(crate) fn host_memory() -> (usize, usize) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse().ok());
        kilobytes.map_or(0, |kilobytes: usize| kilobytes.saturating_mul(1024))
    };
    (field("MemAvailable:"), field("MemTotal:"))
}
