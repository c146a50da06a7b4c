//! Memory of a GPU: allocation and copies, all in the order of the context's stream.
//!
//! Allocating and freeing on the stream makes it safe to drop an array that a kernel still uses, and costs less than a
//! microsecond where the memory comes from the pool.

use std::ffi::c_void;

use cudarc::driver::sys::{CUdevice, CUdevice_attribute, CUdeviceptr, CUmemPool_attribute, CUmemoryPool};

use super::context::{Context, attribute_of};
use super::driver::{Driver, OUT_OF_MEMORY, Refusal};
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

impl Context {
    /// Allocates `bytes`, which are not initialised.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or what the driver refused. The driver allocates no 0 bytes: do not ask.
    pub(crate) fn alloc(&self, bytes: usize) -> Result<CUdeviceptr, Error> {
        match self.try_alloc(bytes) {
            Err(Refusal { code: OUT_OF_MEMORY, .. }) => {}
            other => return Ok(other?),
        }
        // What the pool keeps may be in pieces of the wrong size: give it all back and try once more.
        if let Some(pool) = self.pool() {
            self.wait()?;
            // SAFETY: the pool is the device's own.
            unsafe { self.driver().cuMemPoolTrimTo(pool, 0) }?;
        }
        match self.try_alloc(bytes) {
            Err(Refusal { code: OUT_OF_MEMORY, .. }) => Err(self.out_of_memory(bytes)),
            other => Ok(other?),
        }
    }

    fn try_alloc(&self, bytes: usize) -> Result<CUdeviceptr, Refusal> {
        self.bind()?;
        let mut pointer = 0;
        if self.pool().is_some() {
            // SAFETY: the pointer is valid for the write, and the stream is this context's.
            unsafe { self.driver().cuMemAllocAsync(&raw mut pointer, bytes, self.stream()) }?;
        } else {
            // SAFETY: the pointer is valid for the write, and the context is current.
            unsafe { self.driver().cuMemAlloc_v2(&raw mut pointer, bytes) }?;
        }
        Ok(pointer)
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let (free, total) = self.memory().unwrap_or((0, self.limits().total_memory));
        Error::OutOfMemory { device: self.to_string(), requested, free, total }
    }

    /// Frees memory, once everything asked of the stream before is done.
    ///
    /// A refusal is dropped: it happens when the context is lost or the process ends, and then the memory is gone too.
    ///
    /// # Safety
    ///
    /// `pointer` came from [`Context::alloc`] and is not used by anything asked for later.
    pub(crate) unsafe fn free(&self, pointer: CUdeviceptr) {
        if self.bind().is_err() {
            return;
        }
        let _ = if self.pool().is_some() {
            // SAFETY: the caller's promise.
            unsafe { self.driver().cuMemFreeAsync(pointer, self.stream()) }
        } else {
            // The plain call does not wait for kernels on a non-blocking stream.
            // SAFETY: the caller's promise.
            self.wait().and_then(|()| unsafe { self.driver().cuMemFree_v2(pointer) })
        };
    }

    /// Sets `bytes` at `to` to 0, in the order of the stream.
    ///
    /// # Safety
    ///
    /// `to` is memory of this context with that many bytes.
    pub(crate) unsafe fn clear(&self, to: CUdeviceptr, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: the caller's promise.
        Ok(unsafe { self.driver().cuMemsetD8Async(to, 0, bytes, self.stream()) }?)
    }

    /// Copies `bytes` from the host; the host's memory is free to change when it returns.
    ///
    /// # Safety
    ///
    /// `to` is memory of this context and `from` is readable, with that many bytes each.
    pub(crate) unsafe fn copy_from_host(
        &self,
        to: CUdeviceptr,
        from: *const c_void,
        bytes: usize,
    ) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: the caller's promise.
        unsafe { self.driver().cuMemcpyHtoDAsync_v2(to, from, bytes, self.stream()) }?;
        // The manual's "API synchronization behavior" says only that a copy from pageable memory *might* be synchronous,
        // and the caller's memory may be page-locked.
        Ok(self.wait()?)
    }

    /// Copies `bytes` to the host, once everything asked of the stream before is done.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel before it faulted, or what the driver refused.
    ///
    /// # Safety
    ///
    /// `to` is writable and `from` is memory of this context, with that many bytes each.
    pub(crate) unsafe fn copy_to_host(&self, to: *mut c_void, from: CUdeviceptr, bytes: usize) -> Result<(), Error> {
        if bytes != 0 {
            self.bind()?;
            // SAFETY: the caller's promise.
            unsafe { self.driver().cuMemcpyDtoHAsync_v2(to, from, bytes, self.stream()) }?;
        }
        self.synchronize()
    }
}
