//! The fault record: where a kernel notes the first fault, in host memory that the GPU can write.
//!
//! Host memory, because it must be readable without a copy at every synchronisation, and because it is there even when
//! the context is not. Turning the numbers into a source position is `crate::fault`'s work.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::sys::CUdeviceptr;
use cumbia_kernel_ir::{FAULT_RECORD_BYTES, PANIC_ARGS};

use super::driver::Driver;
use super::host::mapped;
use super::refusal::Refusal;
use crate::sync::Mutex;

/// A fault in numbers, as a kernel notes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawFault {
    /// The kernel's number, from its launch.
    pub kernel: u32,
    /// The position in the kernel's table of sites.
    pub site: u32,
    /// The block of the thread.
    pub block: [u32; 3],
    /// The thread in it.
    pub thread: [u32; 3],
    /// The index, where the fault is one of an index.
    pub index: u64,
    /// The length of what was indexed.
    pub len: u64,
    /// The numbers of a panic's message.
    pub args: [u64; PANIC_ARGS],
}

/// The record as the kernels know it: `struct Fault` of the CUDA C that `kernel-ir` writes. Keep the two alike.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// 0: no fault. Set by the thread that faults first.
    flag: u32,
    kernel: u32,
    site: u32,
    block: [u32; 3],
    thread: [u32; 3],
    pad: u32,
    index: u64,
    len: u64,
    args: [u64; PANIC_ARGS],
}

const _: () = assert!(size_of::<Record>() == FAULT_RECORD_BYTES);

/// The record of one stream.
pub(crate) struct FaultRecord {
    host: NonNull<Record>,
    device: CUdeviceptr,
    /// Held while the record is read and reset, so that a fault is given out once.
    reading: Mutex<()>,
}

// SAFETY: `host` is page-locked memory that lives as long as the record. All threads look at the flag, with atomics; the
// rest is read under `reading` only, while the flag keeps kernels from writing it.
unsafe impl Send for FaultRecord {}
// SAFETY: as above.
unsafe impl Sync for FaultRecord {}

impl FaultRecord {
    /// Allocates a record in the context that is current.
    pub(crate) fn new(driver: &Driver) -> Result<FaultRecord, Refusal> {
        let (host, device) = mapped(driver, size_of::<Record>())?;
        let host = host.cast::<Record>();
        // SAFETY: fresh page-locked memory of this size, aligned to a page.
        unsafe { host.write(Record::default()) };
        Ok(FaultRecord { host, device, reading: Mutex::new(()) })
    }

    /// The record's address for kernels.
    pub(crate) fn device_pointer(&self) -> u64 {
        self.device
    }

    /// Whether a kernel has claimed the record; it may still be filling it.
    pub(super) fn is_set(&self) -> bool {
        self.flag().load(Ordering::Acquire) != 0
    }

    fn flag(&self) -> &AtomicU32 {
        // SAFETY: the memory lives as long as the record, and all that races for the flag uses atomics: the host here, the
        // device in `atomicCAS`.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.host.as_ptr()).flag) }
    }

    /// Frees the record.
    ///
    /// # Safety
    ///
    /// No kernel and nobody else uses it any more.
    pub(super) unsafe fn free(&self, driver: &Driver) -> Result<(), Refusal> {
        // SAFETY: allocated by `mapped`, and the caller's promise.
        unsafe { driver.cuMemFreeHost(self.host.as_ptr().cast()) }
    }

    /// Takes the fault out of the record, which is then ready for another.
    ///
    /// Called after a synchronisation: the kernels that were launched before it have filled what they claimed. A kernel
    /// launched meanwhile by another thread may have claimed the record and still be filling it; `wait` waits for that.
    ///
    /// Nothing of this waits where there is no fault: a record is looked at after each synchronisation.
    pub(crate) fn take(&self, wait: impl FnOnce() -> Result<(), Refusal>) -> Result<Option<RawFault>, Refusal> {
        let flag = self.flag();
        if flag.load(Ordering::Acquire) == 0 {
            return Ok(None);
        }
        let _reading = self.reading.lock();
        if flag.load(Ordering::Acquire) == 0 {
            return Ok(None);
        }
        wait()?;
        // SAFETY: the flag is set, so that no thread of the device writes the record any more: the one that set it has
        // ended, for we waited, and others write only where they find the flag at 0.
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
    fn the_layout_is_the_kernels() {
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
