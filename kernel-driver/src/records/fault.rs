//! Fault records: the first fault of a stream's kernels, in host memory that the GPU can write.
//!
//! Host memory can be read at every synchronisation without a copy, and survives the loss of the context.
//! The raw numbers have a meaning only for the launching layer.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::sys::CUdeviceptr;

use crate::driver::Driver;
use crate::error::CudaError;
use crate::records::alloc_mapped;
use crate::sync::Mutex;

/// The number of arguments of a fault.
pub const FAULT_ARGS: usize = 6;

/// The size of a fault record in bytes.
pub const FAULT_RECORD_BYTES: usize = size_of::<Record>();

/// A fault as raw numbers, as a kernel records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawFault {
    /// The kernel's number, assigned by its launch.
    pub kernel: u32,
    /// The index into the kernel's table of fault sites.
    pub site: u32,
    /// The block index of the faulting thread.
    pub block: [u32; 3],
    /// The thread index within the block.
    pub thread: [u32; 3],
    /// The index of an out-of-bounds access.
    pub index: u64,
    /// The length of the indexed slice.
    pub len: u64,
    /// The arguments of a panic message.
    pub args: [u64; FAULT_ARGS],
}

/// The record in the layout of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// 0 if no fault is recorded. Set by the first thread that faults.
    flag: u32,
    kernel: u32,
    site: u32,
    block: [u32; 3],
    thread: [u32; 3],
    pad: u32,
    index: u64,
    len: u64,
    args: [u64; FAULT_ARGS],
}

/// The fault record of one stream.
pub(crate) struct FaultRecord {
    host: NonNull<Record>,
    device: CUdeviceptr,
    /// Held while the record is read and reset, so that each fault is reported once.
    reading: Mutex<()>,
}

// SAFETY: `host` is page-locked memory that lives as long as the record. All threads access the flag atomically; the
// rest is read under `reading` only, while the flag prevents kernels from writing it.
unsafe impl Send for FaultRecord {}
// SAFETY: as above.
unsafe impl Sync for FaultRecord {}

impl FaultRecord {
    /// Allocates a record in the current context.
    pub(crate) fn new(driver: &Driver) -> Result<FaultRecord, CudaError> {
        let (host, device) = alloc_mapped(driver, size_of::<Record>())?;
        let host = host.cast::<Record>();
        // SAFETY: fresh page-locked memory of this size, aligned to a page.
        unsafe { host.write(Record::default()) };
        Ok(FaultRecord { host, device, reading: Mutex::new(()) })
    }

    /// Returns the record's device address.
    #[inline]
    pub(crate) fn device_pointer(&self) -> u64 {
        self.device
    }

    /// Returns whether a kernel has claimed the record; it may still be writing it.
    pub(crate) fn is_set(&self) -> bool {
        self.flag().load(Ordering::Acquire) != 0
    }

    fn flag(&self) -> &AtomicU32 {
        // SAFETY: the memory lives as long as the record, and all concurrent accesses to the flag are atomic: the
        // host's here, and the device's `atomicCAS`.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.host.as_ptr()).flag) }
    }

    /// Frees the record.
    ///
    /// # Safety
    ///
    /// Neither a kernel nor another thread accesses it any more.
    pub(crate) unsafe fn free(&self, driver: &Driver) -> Result<(), CudaError> {
        // SAFETY: allocated by `alloc_mapped`; the rest is upheld by the caller.
        unsafe { driver.cuMemFreeHost(self.host.as_ptr().cast()) }
    }

    /// Takes the fault out of the record, which is then ready for the next one.
    ///
    /// Called after a synchronisation: kernels launched before it have filled the record if they claimed it. A kernel
    /// launched meanwhile by another thread may have claimed the record and still be writing it; `wait` waits for that.
    ///
    /// Never blocks if no fault is recorded, since every synchronisation checks the record.
    pub(crate) fn take(&self, wait: impl FnOnce() -> Result<(), CudaError>) -> Result<Option<RawFault>, CudaError> {
        let flag = self.flag();
        if flag.load(Ordering::Acquire) == 0 {
            return Ok(None);
        }
        let _reading = self.reading.lock();
        if flag.load(Ordering::Acquire) == 0 {
            return Ok(None);
        }
        wait()?;
        // SAFETY: the flag is set, so no device thread writes the record any more: the one that set it has ended,
        // because we waited, and others write only if they find the flag 0.
        let record = unsafe { self.host.read_volatile() };
        flag.store(0, Ordering::Release);
        let Record { flag: _, kernel, site, block, thread, pad: _, index, len, args } = record;
        Ok(Some(RawFault { kernel, site, block, thread, index, len, args }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_matches_the_emitted_struct() {
        assert_eq!(std::mem::offset_of!(Record, block), 12);
        assert_eq!(std::mem::offset_of!(Record, thread), 24);
        assert_eq!(std::mem::offset_of!(Record, index), 40);
        assert_eq!(std::mem::offset_of!(Record, len), 48);
        assert_eq!(std::mem::offset_of!(Record, args), 56);
    }

    #[test]
    fn a_fault_is_taken_once() {
        let memory = Box::leak(Box::new(Record { flag: 1, site: 7, index: 9, len: 4, ..Record::default() }));
        let record = FaultRecord { host: NonNull::from(memory), device: 0, reading: Mutex::new(()) };
        let taken: Vec<RawFault> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| record.take(|| Ok(())).unwrap())).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(taken.len(), 1);
        assert_eq!((taken[0].site, taken[0].index, taken[0].len), (7, 9, 4));
        assert_eq!(record.take(|| Ok(())).unwrap(), None);
    }
}
