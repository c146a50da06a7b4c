//! An allocation on a device: where it is, and copies in and out of it.
//!
//! Memory is bytes behind a raw pointer, never a `Vec` or a slice that lives on: while a kernel runs, many threads write
//! it, on the CPU too, and no Rust reference to the elements may be alive then. What the bytes mean is the business of
//! arrays and views, which say which of them they use.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::fmt;
use std::ops::Range;

use crate::device::{Backend, Device, host_memory};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// An allocation on a device. Dropping it while kernels use it is fine: it is freed behind them.
pub(crate) struct Memory {
    /// Where it was allocated.
    home: Stream,
    /// On a GPU, an address there. Where there are no bytes, nothing is allocated and this is [`NOWHERE`].
    pointer: *mut u8,
    layout: Layout,
}

// SAFETY: the memory belongs to this object, and its bytes are touched by the `unsafe` methods only, whose callers promise
// that no two of them conflict. The handle of the device may be sent.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

/// Memory of the CPU starts on a cache line, as GPU memory does (that starts on 256 bytes).
const ALIGNMENT: usize = 64;

/// The address of memory without bytes: aligned, not null, and never read.
const NOWHERE: *mut u8 = std::ptr::without_provenance_mut(ALIGNMENT);

/// What new memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Whatever was there: the caller writes all of it before anyone reads.
    Nothing,
    /// Zero bytes.
    Zeros,
}

/// How a launch or a copy uses memory.
#[derive(Clone, Debug)]
#[expect(dead_code, reason = "the order of streams comes next")]
pub(crate) struct Use<'a> {
    pub(crate) memory: &'a Memory,
    /// The bytes, from the start of the memory.
    pub(crate) bytes: Range<usize>,
    pub(crate) writes: bool,
}

impl Memory {
    /// Allocates room for `len` elements, in the order of `stream`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or what the driver refused.
    pub(crate) fn allocate<T>(stream: &Stream, len: usize, contents: Contents) -> Result<Memory> {
        let device = stream.device();
        let layout = Layout::array::<T>(len).and_then(|layout| layout.align_to(ALIGNMENT)).ok();
        let pointer = match device.backend() {
            _ if layout.is_some_and(|layout| layout.size() == 0) => NOWHERE,
            Backend::Cpu(_) => {
                allocate_on_host(layout, contents).ok_or_else(|| no_room::<T>(device.to_string(), len))?
            }
            // More bytes than an address can name: the GPU refuses them too, with its own numbers.
            Backend::Cuda(context) => {
                let address = context.alloc(layout.map_or(usize::MAX, |layout| layout.size()))?;
                std::ptr::without_provenance_mut(address as usize)
            }
        };
        // Where there is no layout, the allocation has failed.
        let layout = layout.ok_or_else(|| no_room::<T>(device.to_string(), len))?;
        let memory = Memory { home: stream.clone(), pointer, layout };
        if let (Backend::Cuda(context), Contents::Zeros) = (device.backend(), contents) {
            // SAFETY: the memory has that many bytes.
            unsafe { context.clear(memory.address(0), memory.bytes()) }?;
        }
        Ok(memory)
    }

    /// The device that holds it.
    pub(crate) fn device(&self) -> &Device {
        self.home.device()
    }

    /// The first byte. On a GPU it is an address of the device, without provenance: the host must not read through it.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// How many bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// Copies bytes to the host, once all that was asked of them before is done, and waits for it.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel that wrote them faulted (the bytes are copied all the same), or what the driver
    /// refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and `to` is valid for writing as many bytes.
    pub(crate) unsafe fn read(&self, on: Option<&Stream>, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        let _ = on;
        match self.device().backend() {
            Backend::Cpu(state) => {
                // SAFETY: the caller's promise; no kernel is writing, since a launch on the CPU borrows the array mutably
                // until it is over.
                unsafe { to.copy_from_nonoverlapping(self.pointer.add(bytes.start), bytes.len()) };
                state.give_out_fault()
            }
            // SAFETY: the caller's promise.
            Backend::Cuda(context) => unsafe {
                context.copy_to_host(to.cast(), self.address(bytes.start), bytes.len())
            },
        }
    }

    /// Copies bytes from the host, once all that was asked of them before is done, and waits for it.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and `from` is valid for reading as many bytes. Nobody else uses these bytes meanwhile.
    pub(crate) unsafe fn write(&self, on: Option<&Stream>, bytes: Range<usize>, from: *const u8) -> Result<()> {
        let _ = on;
        match self.device().backend() {
            Backend::Cpu(_) => {
                // SAFETY: the caller's promise.
                unsafe { self.pointer.add(bytes.start).copy_from_nonoverlapping(from, bytes.len()) };
                Ok(())
            }
            // SAFETY: the caller's promise.
            Backend::Cuda(context) => unsafe {
                context.copy_from_host(self.address(bytes.start), from.cast(), bytes.len())
            },
        }
    }

    /// As [`Memory::read`], but does not wait on a GPU: what is asked of the stream later happens behind the copy. Faults are
    /// given out by whoever waits.
    ///
    /// # Safety
    ///
    /// As for [`Memory::read`], where `to` is page-locked memory that stays, and that nobody else uses, until the copy is
    /// over.
    #[expect(dead_code, reason = "page-locked buffers come next")]
    pub(crate) unsafe fn start_read(&self, on: &Stream, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.read(Some(on), bytes, to) }
    }

    /// As [`Memory::write`], but does not wait on a GPU.
    ///
    /// # Safety
    ///
    /// As for [`Memory::write`], where `from` is page-locked memory that stays, and that nobody changes, until the copy is
    /// over.
    #[expect(dead_code, reason = "page-locked buffers come next")]
    pub(crate) unsafe fn start_write(&self, on: &Stream, bytes: Range<usize>, from: *const u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.write(Some(on), bytes, from) }
    }

    /// Repeats the bytes of `element` over a range, on the device.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and as long as some number of elements. Nobody else uses these bytes meanwhile.
    pub(crate) unsafe fn fill(&self, on: Option<&Stream>, bytes: Range<usize>, element: &[u8]) -> Result<()> {
        if element.is_empty() || bytes.is_empty() {
            return Ok(());
        }
        let values: Vec<u8> = element.iter().copied().cycle().take(bytes.len()).collect();
        // SAFETY: the caller's promise, and there are that many values.
        unsafe { self.write(on, bytes, values.as_ptr()) }
    }

    /// Copies bytes to other memory, from its byte `at` on; that may be on another device.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// Both ranges are inside, and do not overlap. Nobody else writes the first, or uses the second, meanwhile.
    pub(crate) unsafe fn copy_to(
        &self,
        on: Option<&Stream>,
        bytes: Range<usize>,
        to: &Memory,
        at: usize,
    ) -> Result<()> {
        let mut values = vec![0u8; bytes.len()];
        let target = at..at + bytes.len();
        // SAFETY: the caller's promise, and there is room for that many values.
        unsafe {
            self.read(on, bytes, values.as_mut_ptr())?;
            to.write(None, target, values.as_ptr())
        }
    }

    /// The address of a byte on a GPU.
    fn address(&self, byte: usize) -> u64 {
        (self.pointer.addr() + byte) as u64
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.bytes() == 0 {
            return;
        }
        match self.device().backend() {
            // SAFETY: allocated with this layout; launches on the CPU are over when they return.
            Backend::Cpu(_) => unsafe { dealloc(self.pointer, self.layout) },
            // SAFETY: allocated there; the free is ordered after all launches that were given the pointer.
            Backend::Cuda(context) => unsafe { context.free(self.address(0)) },
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes on {})", self.bytes(), self.device())
    }
}

/// Memory of the host; `None` where there is not that much, or nothing is asked for.
fn allocate_on_host(layout: Option<Layout>, contents: Contents) -> Option<*mut u8> {
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
    let (free, total) = host_memory();
    Error::OutOfMemory { device, requested: len.saturating_mul(size_of::<T>()), free, total }
}
