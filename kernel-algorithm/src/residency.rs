//! How many blocks a multiprocessor executes at once.

use cumbia::Device;

/// The shared memory that each block needs besides its own, and the alignment of variables.
const SHARED_BYTES_OF_SYSTEM: usize = 1024 + 256;

/// Returns the number of resident blocks of a multiprocessor, of so many threads with so many bytes of shared memory, as far as
/// their registers do not limit it; 1 if not even one fits.
pub(crate) fn resident_blocks(device: &Device, threads: usize, shared_bytes: usize) -> usize {
    let limits = device.limits();
    let by_shared_memory = limits.shared_bytes_per_multiprocessor / (shared_bytes + SHARED_BYTES_OF_SYSTEM);
    let by_threads = limits.threads_per_multiprocessor / threads;
    by_threads.min(limits.blocks_per_multiprocessor).min(by_shared_memory).max(1)
}
