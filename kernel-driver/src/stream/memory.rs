//! Device memory: stream-ordered allocation, copies and fills.
//!
//! With stream-ordered allocation an array can be dropped while a kernel still uses it, and an allocation from the pool
//! takes less than a microsecond. Dependencies between streams are tracked in `hazards/`, not here.

use std::ffi::c_void;

use crate::sys::{CUdevice, CUdevice_attribute, CUdeviceptr, CUmemPool_attribute, CUmemoryPool};

use super::Stream;
use crate::driver::Driver;
use crate::error::CudaError;
use crate::hardware::attribute_of;
use crate::primary_context::PrimaryContext;

/// Returns the device's default memory pool, configured to keep freed memory for later allocations; `None` if pools are
/// not supported (under some virtualisation, and on GPUs older than Pascal).
pub(crate) fn pool_of(driver: &Driver, device: CUdevice) -> Result<Option<CUmemoryPool>, CudaError> {
    if attribute_of(driver, device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(None);
    }
    let mut pool = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceGetDefaultMemPool(&raw mut pool, device) }?;
    // By default the pool releases its memory at each synchronisation, and allocations after that take milliseconds.
    let mut threshold = u64::MAX;
    let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the pool is the device's own, and the attribute's value is a 64-bit integer.
    unsafe { driver.cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()) }?;
    Ok(Some(pool))
}

impl Stream {
    /// Allocates `bytes` of uninitialised memory in the order of the stream. `bytes` must not be 0, which the driver
    /// rejects.
    ///
    /// # Errors
    ///
    /// A CUDA driver error: see [`CudaError::is_out_of_memory`].
    pub fn alloc(&self, bytes: usize) -> Result<CUdeviceptr, CudaError> {
        match self.try_alloc(bytes) {
            Err(error) if error.is_out_of_memory() => {}
            other => return other,
        }
        // The memory that the pool retains may be fragmented, or its frees may be pending in other streams: wait for
        // all streams, trim the pool, and retry once.
        if let Some(pool) = self.primary().pool {
            self.primary().synchronize()?;
            // SAFETY: the pool is the device's own.
            unsafe { self.driver().cuMemPoolTrimTo(pool, 0) }?;
        }
        self.try_alloc(bytes)
    }

    fn try_alloc(&self, bytes: usize) -> Result<CUdeviceptr, CudaError> {
        self.primary().bind()?;
        let mut pointer = 0;
        if self.primary().pool.is_some() {
            // SAFETY: the pointer is valid for the write, and the stream is this context's.
            unsafe { self.driver().cuMemAllocAsync(&raw mut pointer, bytes, self.raw()) }?;
        } else {
            // SAFETY: the pointer is valid for the write, and the context is current.
            unsafe { self.driver().cuMemAlloc_v2(&raw mut pointer, bytes) }?;
        }
        Ok(pointer)
    }

    /// Frees memory in the order of the stream. An error is kept in the context.
    ///
    /// # Safety
    ///
    /// `pointer` was returned by [`Stream::alloc`] for a stream of this GPU, no later work uses it, and this stream
    /// waits for all work on other streams that uses it.
    pub unsafe fn free(&self, pointer: CUdeviceptr) {
        let free = || {
            self.primary().bind()?;
            if self.primary().pool.is_some() {
                // SAFETY: upheld by the caller.
                unsafe { self.driver().cuMemFreeAsync(pointer, self.raw()) }
            } else {
                // The synchronous free does not wait for kernels on a non-blocking stream.
                // SAFETY: upheld by the caller.
                self.wait().and_then(|()| unsafe { self.driver().cuMemFree_v2(pointer) })
            }
        };
        if let Err(error) = free() {
            self.primary().note_drop_error(error);
        }
    }

    /// Fills `bytes` at `to` with zeros.
    ///
    /// # Safety
    ///
    /// `to` is memory of this GPU with that many bytes.
    pub unsafe fn clear(&self, to: CUdeviceptr, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: upheld by the caller.
        unsafe { self.fill(to, bytes, &[0]) }
    }

    /// Fills `bytes` at `to` with repetitions of `element`. Never blocks, and does not access host memory after
    /// returning.
    ///
    /// # Safety
    ///
    /// `to` is memory of this GPU with that many bytes, a multiple of the element's size.
    pub unsafe fn fill(&self, to: CUdeviceptr, bytes: usize, element: &[u8]) -> Result<(), CudaError> {
        if bytes == 0 || element.is_empty() {
            return Ok(());
        }
        self.primary().bind()?;
        let pattern = shortest_period(element);
        // Memset requires an address that is aligned for the pattern; allocations are, and so are the elements in them.
        let is_aligned = to.is_multiple_of(pattern.len() as u64);
        let (driver, stream) = (self.driver(), self.raw());
        // SAFETY: upheld by the caller; the size of the pattern divides that of the element, which divides `bytes`.
        unsafe {
            match *pattern {
                [a] => driver.cuMemsetD8Async(to, a, bytes, stream),
                [a, b] if is_aligned => driver.cuMemsetD16Async(to, u16::from_ne_bytes([a, b]), bytes / 2, stream),
                [a, b, c, d] if is_aligned => {
                    driver.cuMemsetD32Async(to, u32::from_ne_bytes([a, b, c, d]), bytes / 4, stream)
                }
                _ => self.fill_by_doubling(to, bytes, pattern),
            }
        }
    }

    /// Writes the pattern once, then doubles the filled prefix by copying it until all bytes are filled.
    ///
    /// # Safety
    ///
    /// As for [`Stream::fill`]; the context is current.
    unsafe fn fill_by_doubling(&self, to: CUdeviceptr, bytes: usize, pattern: &[u8]) -> Result<(), CudaError> {
        let (driver, stream) = (self.driver(), self.raw());
        // Passed as memset values, so that no host memory has to stay alive.
        for (at, word) in (to..).step_by(4).zip(pattern.chunks(4)) {
            // SAFETY: upheld by the caller: the pattern is in bounds, and `at` is inside of it.
            unsafe {
                match *word {
                    [a, b, c, d] if at.is_multiple_of(4) => {
                        driver.cuMemsetD32Async(at, u32::from_ne_bytes([a, b, c, d]), 1, stream)?;
                    }
                    _ => {
                        for (at, byte) in (at..).zip(word) {
                            driver.cuMemsetD8Async(at, *byte, 1, stream)?;
                        }
                    }
                }
            }
        }
        let mut written = pattern.len();
        while written < bytes {
            let more = written.min(bytes - written);
            // SAFETY: both ranges are in bounds; the second starts at the end of the first, which is at least as long.
            unsafe { driver.cuMemcpyDtoDAsync_v2(to + written as u64, to, more, stream) }?;
            written += more;
        }
        Ok(())
    }

    /// Enqueues a copy of `bytes` from the host.
    ///
    /// # Safety
    ///
    /// `to` is memory of this GPU and `from` is readable, with that many bytes each. The host memory stays allocated
    /// and unchanged until the copy has completed.
    pub unsafe fn copy_from_host(&self, to: CUdeviceptr, from: *const c_void, bytes: usize) -> Result<(), CudaError> {
        if bytes == 0 {
            return Ok(());
        }
        self.primary().bind()?;
        // SAFETY: upheld by the caller.
        unsafe { self.driver().cuMemcpyHtoDAsync_v2(to, from, bytes, self.raw()) }
    }

    /// Enqueues a copy of `bytes` to the host.
    ///
    /// # Safety
    ///
    /// `to` is writable and `from` is memory of this GPU, with that many bytes each. The host memory stays allocated
    /// and unused until the copy has completed.
    pub unsafe fn copy_to_host(&self, to: *mut c_void, from: CUdeviceptr, bytes: usize) -> Result<(), CudaError> {
        if bytes == 0 {
            return Ok(());
        }
        self.primary().bind()?;
        // SAFETY: upheld by the caller.
        unsafe { self.driver().cuMemcpyDtoHAsync_v2(to, from, bytes, self.raw()) }
    }

    /// Enqueues a copy of `bytes` between memory of two contexts, one of which is the stream's; they may be the same.
    ///
    /// # Safety
    ///
    /// `to` and `from` are memory of these contexts with that many bytes each, and they do not overlap.
    pub unsafe fn copy(
        &self,
        destination: &PrimaryContext,
        to: CUdeviceptr,
        source: &PrimaryContext,
        from: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), CudaError> {
        if bytes == 0 {
            return Ok(());
        }
        self.primary().bind()?;
        // SAFETY: upheld by the caller.
        unsafe {
            if source.raw == destination.raw {
                self.driver().cuMemcpyDtoDAsync_v2(to, from, bytes, self.raw())
            } else {
                self.driver().cuMemcpyPeerAsync(to, destination.raw, from, source.raw, bytes, self.raw())
            }
        }
    }
}

/// Returns the shortest prefix of 1, 2 or 4 bytes whose repetition is `element`, or `element` itself.
fn shortest_period(element: &[u8]) -> &[u8] {
    let len = element.len();
    let repeats = |period: usize| len.is_multiple_of(period) && element[period..] == element[..len - period];
    let period = [1, 2, 4].into_iter().find(|&period| period < len && repeats(period)).unwrap_or(len);
    &element[..period]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fill_pattern_is_the_shortest_period() {
        assert_eq!(shortest_period(&0.0f64.to_ne_bytes()), [0]);
        assert_eq!(shortest_period(&[1, 2, 1, 2]), [1, 2]);
        assert_eq!(shortest_period(&[1, 2, 3, 4, 1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(shortest_period(&[1, 2, 3, 4, 1, 2, 3, 5]).len(), 8);
        assert_eq!(shortest_period(&[7]), [7]);
        assert_eq!(shortest_period(&[7, 7, 7]), [7]);
        assert_eq!(shortest_period(&[1, 1, 2]).len(), 3);
        assert_eq!(shortest_period(&[1, 2, 3, 1, 2, 3]).len(), 6);
    }
}
