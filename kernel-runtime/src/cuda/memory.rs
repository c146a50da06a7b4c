//! Memory of a GPU: allocation, copies and fills, each in the order of a stream.
//!
//! Allocating and freeing on a stream makes it safe to drop an array that a kernel still uses, and costs less than a
//! microsecond where the memory comes from the pool. Which stream has to wait for which is not decided here, but in
//! `order.rs`.

use std::ffi::c_void;

use cudarc::driver::sys::{CUdevice, CUdevice_attribute, CUdeviceptr, CUmemPool_attribute, CUmemoryPool};

use super::driver::Driver;
use super::hardware::attribute_of;
use super::primary::Primary;
use super::refusal::{OUT_OF_MEMORY, Refusal};
use super::stream::Stream;
use crate::error::Error;

/// The device's default pool, told to keep freed memory for the next allocation; `None` where there are no pools
/// (under some virtualisation, and on GPUs of before Pascal).
pub(super) fn pool_of(driver: &Driver, device: CUdevice) -> Result<Option<CUmemoryPool>, Refusal> {
    if attribute_of(driver, device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(None);
    }
    let mut pool = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceGetDefaultMemPool(&raw mut pool, device) }?;
    // By default the pool returns its memory at each synchronisation, and allocations after it cost milliseconds.
    let mut threshold = u64::MAX;
    let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the pool is the device's own, and the attribute's value is a 64-bit integer.
    unsafe { driver.cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()) }?;
    Ok(Some(pool))
}

impl Stream {
    /// Allocates `bytes`, which are not initialised, for what is asked of the stream from now on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or what the driver refused. The driver allocates no 0 bytes: do not ask.
    pub(crate) fn alloc(&self, bytes: usize) -> Result<CUdeviceptr, Error> {
        match self.try_alloc(bytes) {
            Err(Refusal { code: OUT_OF_MEMORY, .. }) => {}
            other => return Ok(other?),
        }
        // What the pool keeps may be in pieces of the wrong size, or be freed in a stream that has not come to it yet: wait
        // for all streams, give everything back, and try once more.
        if let Some(pool) = self.primary().pool {
            self.primary().wait_for_everything()?;
            // SAFETY: the pool is the device's own.
            unsafe { self.driver().cuMemPoolTrimTo(pool, 0) }?;
        }
        match self.try_alloc(bytes) {
            Err(Refusal { code: OUT_OF_MEMORY, .. }) => Err(out_of_memory(self.primary(), bytes)),
            other => Ok(other?),
        }
    }

    fn try_alloc(&self, bytes: usize) -> Result<CUdeviceptr, Refusal> {
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

    /// Frees memory, once everything asked of the stream before is done. What is refused is noted with the context.
    ///
    /// # Safety
    ///
    /// `pointer` came from [`Stream::alloc`] of a stream of this GPU, is not used by anything asked for later, and all that
    /// uses it on other streams was waited for by this one.
    pub(crate) unsafe fn free(&self, pointer: CUdeviceptr) {
        let free = || {
            self.primary().bind()?;
            if self.primary().pool.is_some() {
                // SAFETY: the caller's promise.
                unsafe { self.driver().cuMemFreeAsync(pointer, self.raw()) }
            } else {
                // The plain call does not wait for kernels on a non-blocking stream.
                // SAFETY: the caller's promise.
                self.wait().and_then(|()| unsafe { self.driver().cuMemFree_v2(pointer) })
            }
        };
        if let Err(refusal) = free() {
            self.primary().note_dropped(refusal);
        }
    }

    /// Sets `bytes` at `to` to 0.
    ///
    /// # Safety
    ///
    /// `to` is memory of this GPU with that many bytes.
    pub(crate) unsafe fn clear(&self, to: CUdeviceptr, bytes: usize) -> Result<(), Refusal> {
        // SAFETY: the caller's promise.
        unsafe { self.fill(to, bytes, &[0]) }
    }

    /// Repeats the bytes of `element` over `bytes` at `to`. Nothing of it waits, or reads memory of the host later on.
    ///
    /// # Safety
    ///
    /// `to` is memory of this GPU with that many bytes, which are a number of elements.
    pub(crate) unsafe fn fill(&self, to: CUdeviceptr, bytes: usize, element: &[u8]) -> Result<(), Refusal> {
        if bytes == 0 || element.is_empty() {
            return Ok(());
        }
        self.primary().bind()?;
        let pattern = shortest_period(element);
        // The driver wants addresses that are aligned for the pattern; allocations are, and so are elements in them.
        let is_aligned = to.is_multiple_of(pattern.len() as u64);
        let (driver, stream) = (self.driver(), self.raw());
        // SAFETY: the caller's promise; the pattern divides the element, which divides the bytes.
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

    /// Writes the pattern once, and then copies all that is written behind itself until everything is.
    ///
    /// # Safety
    ///
    /// As for [`Stream::fill`]; the context is current.
    unsafe fn fill_by_doubling(&self, to: CUdeviceptr, bytes: usize, pattern: &[u8]) -> Result<(), Refusal> {
        let (driver, stream) = (self.driver(), self.raw());
        // As the parameters of memsets, so that no memory of the host has to live on.
        for (at, word) in (to..).step_by(4).zip(pattern.chunks(4)) {
            // SAFETY: the caller's promise: the pattern is inside, and `at` in it.
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
            // SAFETY: both are inside, and the second begins where the first, which is no shorter, ends.
            unsafe { driver.cuMemcpyDtoDAsync_v2(to + written as u64, to, more, stream) }?;
            written += more;
        }
        Ok(())
    }

    /// Copies `bytes` from the host, in the order of the stream.
    ///
    /// # Safety
    ///
    /// `to` is memory of this GPU and `from` is readable, with that many bytes each. The host's memory stays, and stays the
    /// same, until the copy is over.
    pub(crate) unsafe fn copy_from_host(
        &self,
        to: CUdeviceptr,
        from: *const c_void,
        bytes: usize,
    ) -> Result<(), Refusal> {
        if bytes == 0 {
            return Ok(());
        }
        self.primary().bind()?;
        // SAFETY: the caller's promise.
        unsafe { self.driver().cuMemcpyHtoDAsync_v2(to, from, bytes, self.raw()) }
    }

    /// Copies `bytes` to the host, in the order of the stream.
    ///
    /// # Safety
    ///
    /// `to` is writable and `from` is memory of this GPU, with that many bytes each. The host's memory stays, and nobody
    /// else uses it, until the copy is over.
    pub(crate) unsafe fn copy_to_host(&self, to: *mut c_void, from: CUdeviceptr, bytes: usize) -> Result<(), Refusal> {
        if bytes == 0 {
            return Ok(());
        }
        self.primary().bind()?;
        // SAFETY: the caller's promise.
        unsafe { self.driver().cuMemcpyDtoHAsync_v2(to, from, bytes, self.raw()) }
    }

    /// Copies `bytes` of memory of GPUs with these contexts, one of which is the stream's.
    ///
    /// # Safety
    ///
    /// `to` and `from` are memory of these GPUs with that many bytes each, and they do not overlap.
    pub(crate) unsafe fn copy(
        &self,
        destination: &Primary,
        to: CUdeviceptr,
        source: &Primary,
        from: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), Refusal> {
        if bytes == 0 {
            return Ok(());
        }
        self.primary().bind()?;
        // SAFETY: the caller's promise.
        unsafe {
            if source.raw == destination.raw {
                self.driver().cuMemcpyDtoDAsync_v2(to, from, bytes, self.raw())
            } else {
                self.driver().cuMemcpyPeerAsync(to, destination.raw, from, source.raw, bytes, self.raw())
            }
        }
    }
}

fn out_of_memory(primary: &Primary, requested: usize) -> Error {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the pointers are valid for the writes, and `try_alloc` made the context current.
    if unsafe { primary.driver.cuMemGetInfo_v2(&raw mut free, &raw mut total) }.is_err() {
        total = primary.total_memory;
    }
    Error::OutOfMemory { device: primary.label.clone(), requested, free, total }
}

/// The shortest bytes of which `element` is a repetition.
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
    fn a_pattern_is_as_short_as_can_be() {
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
