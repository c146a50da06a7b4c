//! Device allocations: address, ownership, and the operations on their bytes (`copies`).
//!
//! An allocation is a raw pointer to bytes, never a long-lived `Vec` or slice: while a kernel runs, many threads write
//! the bytes, on the CPU as well, and no Rust reference to the elements may be live meanwhile. Arrays and views define
//! the element types and state which bytes they access.

mod copies;
mod host;

use std::alloc::{Layout, dealloc};
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use self::host::allocate_on_host;
pub(crate) use self::host::{no_room, out_of_memory};
use crate::cuda;
use crate::device::{Backend, Device, Identity};
use crate::error::{Error, Result};
use crate::hazards::{self, AccessHistory, MemoryAccess, PooledStream, StreamRef, Tracked};
use crate::stream::Stream;
use crate::sync::assert_unlocked;

/// A handle to a device allocation. Dropping the last handle while kernels use the memory is allowed: the memory is
/// freed in stream order after them.
pub(crate) struct Memory {
    allocation: Arc<Allocation>,
    /// The identity of the device, stored beside the handle: a launch compares the devices of its arrays without
    /// touching their allocations.
    on: Identity,
}

/// The shared state of a device allocation.
pub(crate) struct Allocation {
    device: Device,
    /// The stream on which it was allocated.
    home: PooledStream,
    /// An address of the device on a GPU. A zero-sized allocation has a dangling pointer, aligned as the layout
    /// demands.
    pointer: *mut u8,
    layout: Layout,
    accesses: AccessHistory,
    freed: FreedBy,
}

/// The party that frees an allocation.
enum FreedBy {
    /// This crate.
    Us,
    /// The external owner, when it is dropped.
    Owner(
        #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "it is kept to be dropped"))]
        Box<dyn Any + Send + Sync>,
    ),
    /// The lender of memory that is borrowed for the duration of a call.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only interoperation borrows foreign memory"))]
    Lender,
}

// SAFETY: the memory belongs to this object or its owner, which is `Send`, and its bytes are accessed by the `unsafe`
// methods only, whose callers guarantee that no two accesses conflict. The handles of the device and the stream are
// `Send`.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Deref for Memory {
    type Target = Allocation;

    #[inline]
    fn deref(&self) -> &Allocation {
        &self.allocation
    }
}

/// The alignment of memory of the CPU device, a cache line. (GPU allocations are aligned to at least 256 bytes.)
const ALIGNMENT: usize = 64;

/// The initial contents of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Uninitialised: the caller writes all bytes before any is read.
    Nothing,
    /// Zero bytes.
    Zeros,
}

/// An access of a launch or a copy to an allocation.
pub(crate) type Use<'a> = hazards::Use<'a, Memory>;

impl Tracked for Memory {
    #[inline]
    fn accesses(&self) -> &AccessHistory {
        &self.accesses
    }

    fn stream_epoch(&self) -> u64 {
        self.allocation.stream_epoch()
    }

    #[inline]
    fn device_number(&self) -> usize {
        self.on.number()
    }
}

impl Memory {
    /// Allocates memory for `len` elements in the order of `stream`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], or a CUDA driver error.
    pub(crate) fn allocate<T>(stream: &Stream, len: usize, contents: Contents) -> Result<Memory> {
        let device = stream.device();
        let layout = Layout::array::<T>(len).and_then(|layout| layout.align_to(ALIGNMENT)).ok();
        let pointer = match stream.stream_ref() {
            // Neither the driver nor the host allocator accepts a size of 0. The pointer is aligned, non-null and never
            // dereferenced.
            _ if let Some(layout) = layout.filter(|layout| layout.size() == 0) => {
                std::ptr::without_provenance_mut(layout.align())
            }
            StreamRef::Cpu(_) => allocate_on_host(layout, contents).ok_or_else(|| no_room::<T>(device.into(), len))?,
            // A size that exceeds the address space is passed on: the GPU rejects it too, and the error then has its
            // memory figures.
            StreamRef::Cuda(stream) => {
                let address = allocate_on_gpu(stream, layout.map_or(usize::MAX, |layout| layout.size()))?;
                std::ptr::without_provenance_mut(address as usize)
            }
        };
        // Without a layout, the allocation above has failed.
        let layout = layout.ok_or_else(|| no_room::<T>(device.into(), len))?;
        let home = stream.stream_ref().clone();
        let memory = Memory::new(device, home, pointer, layout, FreedBy::Us);
        if let StreamRef::Cuda(stream) = memory.home.stream_ref() {
            // Accesses on other streams depend on the allocation as on a write.
            hazards::ordered(stream, &[memory.whole()], || match contents {
                Contents::Nothing => Ok(()),
                // SAFETY: the memory has that many bytes.
                Contents::Zeros => Ok(unsafe { stream.clear(memory.address(0), memory.bytes()) }?),
            })?;
        }
        Ok(memory)
    }

    /// Returns the identity of the device.
    #[inline]
    pub(crate) fn on(&self) -> Identity {
        self.on
    }

    /// Wraps memory that `owner` frees when it is dropped. The owner is dropped once all operations on the memory have
    /// completed or, on a GPU, once `stream` waits for them, so that the owner may free it in the order of that stream.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    ///
    /// # Safety
    ///
    /// `pointer` is memory of the stream's device with the size and alignment of `layout` for as long as `owner` lives.
    /// Nothing else accesses it meanwhile, except in the order of the stream.
    pub(crate) unsafe fn foreign(
        stream: &Stream,
        pointer: *mut u8,
        layout: Layout,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Memory> {
        Memory::external(stream, pointer, layout, FreedBy::Owner(owner))
    }

    /// Wraps memory that is borrowed from a lender. Once this is dropped, `stream` waits on a GPU for all operations on
    /// the memory before it executes any later work.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    ///
    /// # Safety
    ///
    /// As for [`Memory::foreign`], with the lender in the role of `owner`: the memory remains valid until this is
    /// dropped, and until all work enqueued on the stream by then has completed.
    #[cfg(feature = "cudarc")]
    pub(crate) unsafe fn borrowed(stream: &Stream, pointer: *mut u8, layout: Layout) -> Result<Memory> {
        Memory::external(stream, pointer, layout, FreedBy::Lender)
    }

    /// Wraps memory whose earlier uses are ordered on `stream`.
    fn external(stream: &Stream, pointer: *mut u8, layout: Layout, freed: FreedBy) -> Result<Memory> {
        let memory = Memory::new(stream.device(), stream.stream_ref().clone(), pointer, layout, freed);
        if let StreamRef::Cuda(stream) = memory.home.stream_ref() {
            // Accesses on other streams depend on the work enqueued on this stream so far, as on a write.
            hazards::ordered(stream, &[memory.whole()], || Ok(()))?;
        }
        Ok(memory)
    }

    fn new(device: &Device, home: StreamRef, pointer: *mut u8, layout: Layout, freed: FreedBy) -> Memory {
        let device = device.clone();
        let (on, home) = (device.identity(), PooledStream::of(home));
        Memory {
            allocation: Arc::new(Allocation {
                device,
                home,
                pointer,
                layout,
                accesses: AccessHistory::new(layout.size()),
                freed,
            }),
            on,
        }
    }

    /// Returns another handle, which keeps the memory alive; `None` for borrowed memory.
    pub(crate) fn keep(&self) -> Option<Memory> {
        match self.freed {
            FreedBy::Us | FreedBy::Owner(_) => Some(Memory { allocation: self.allocation.clone(), on: self.on }),
            FreedBy::Lender => None,
        }
    }

    /// Transfers ownership of the memory, with its external owner if there is one; `stream` waits for all operations on
    /// it. Returns `None`, and drops this handle, if the memory is borrowed or another handle exists.
    #[cfg(feature = "cudarc")]
    pub(crate) fn into_raw(self, stream: &cuda::Stream) -> Option<(*mut u8, Option<Box<dyn Any + Send + Sync>>)> {
        let mut allocation = Arc::try_unwrap(self.allocation).ok()?;
        let owner = match std::mem::replace(&mut allocation.freed, FreedBy::Lender) {
            FreedBy::Us => None,
            FreedBy::Owner(owner) => Some(owner),
            FreedBy::Lender => return None,
        };
        allocation.wait_for_all_uses(stream);
        Some((allocation.pointer, owner))
    }

    /// Returns the device of the allocation.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the stream on which the memory was allocated, or the device's default stream if that one has been reused
    /// since or has no handle any more.
    pub(crate) fn home(&self) -> Stream {
        self.handle_to(&self.home).unwrap_or_else(|| self.device.default_stream())
    }

    /// Returns the address of the first byte. On a GPU it is a device address without provenance, which the host must
    /// not dereference.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// Returns the device address of a byte.
    fn address(&self, byte: usize) -> u64 {
        (self.pointer.addr() + byte) as u64
    }

    /// Returns an access to all bytes that counts as a write.
    fn whole(&self) -> Use<'_> {
        Use { memory: self, bytes: 0..self.bytes(), writes: true }
    }
}

/// Allocates memory of a GPU in the order of the stream. `bytes` must not be 0, which the driver rejects.
///
/// # Errors
///
/// [`Error::OutOfMemory`], or a CUDA driver error.
pub(crate) fn allocate_on_gpu(stream: &cuda::Stream, bytes: usize) -> Result<u64> {
    stream.alloc(bytes).map_err(|error| {
        if !error.is_out_of_memory() {
            return error.into();
        }
        let (free, total) = stream.primary().memory();
        Error::OutOfMemory { device: stream.primary().gpu().into(), requested: bytes, free, total }
    })
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // An external owner runs foreign code when it is dropped.
        assert_unlocked();
        if self.layout.size() == 0 {
            return; // an external owner is dropped nevertheless
        }
        match (self.home.stream_ref(), &self.freed) {
            (StreamRef::Cpu(_), FreedBy::Owner(_) | FreedBy::Lender) => {}
            // SAFETY: allocated with this layout; launches on the CPU have completed when they return.
            (StreamRef::Cpu(_), FreedBy::Us) => unsafe { dealloc(self.pointer, self.layout) },
            // The owner frees it in the order of this stream.
            (StreamRef::Cuda(home), FreedBy::Owner(_) | FreedBy::Lender) => {
                self.wait_for_default_stream(home);
                self.wait_for_all_uses(home);
            }
            (StreamRef::Cuda(home), FreedBy::Us) => {
                // On the stream of the most recent access, waiting for the other accesses is least likely to delay
                // other work.
                let stream = match self.last_stream() {
                    StreamRef::Cuda(stream) => stream,
                    StreamRef::Cpu(_) => home.clone(),
                };
                self.wait_for_all_uses(&stream);
                // SAFETY: allocated on this device; the free is ordered after all work that was given the pointer.
                unsafe { stream.free(self.pointer.addr() as u64) };
            }
        }
    }
}

impl Allocation {
    /// Returns the stream of this device with the most recent recorded access. Without one, all accesses were made while only
    /// the default stream was in use.
    fn last_stream(&self) -> StreamRef {
        let of_device = |pooled: &PooledStream| Some(pooled.stream_ref()).filter(|it| self.is_of_device(it)).cloned();
        let last = self.accesses.last(self.stream_epoch(), of_device);
        last.unwrap_or_else(|| self.device.default_stream().stream_ref().clone())
    }

    /// Returns the stream for an operation that names none: the one with the most recent access that [`Allocation::handle_to`]
    /// admits.
    fn current_stream(&self) -> Stream {
        let last = self.accesses.last(self.stream_epoch(), |pooled| self.handle_to(pooled));
        last.unwrap_or_else(|| self.device.default_stream())
    }

    /// Returns a handle to a stream of this device, unless it has been reused since or has no handle any more. Work and faults of
    /// a stream's later holder must not be mixed with the caller's, and a stream without handles gets no new work.
    fn handle_to(&self, pooled: &PooledStream) -> Option<Stream> {
        let stream = Some(pooled.stream_ref()).filter(|stream| self.is_of_device(stream))?;
        // In this order: a held stream is not reused.
        Stream::of_held(&self.device, stream).filter(|_| pooled.is_current())
    }

    /// Returns the current stream epoch of the device: see `hazards/mod.rs`.
    pub(crate) fn stream_epoch(&self) -> u64 {
        match self.device.backend() {
            Backend::Cpu(streams) => streams.stream_epoch(),
            Backend::Cuda(context) => context.primary().stream_epoch(),
        }
    }

    /// Returns whether a stream belongs to the device of this memory, and not to another GPU.
    fn is_of_device(&self, stream: &StreamRef) -> bool {
        match (stream, self.home.stream_ref()) {
            (StreamRef::Cuda(stream), StreamRef::Cuda(home)) => stream.is_on_same_gpu(home),
            (StreamRef::Cpu(_), StreamRef::Cpu(_)) => true,
            (StreamRef::Cpu(_), StreamRef::Cuda(_)) | (StreamRef::Cuda(_), StreamRef::Cpu(_)) => false,
        }
    }

    /// Makes `stream` wait for all recorded accesses to the memory.
    pub(crate) fn wait_for_all_uses(&self, stream: &cuda::Stream) {
        let whole = MemoryAccess { bytes: 0..self.layout.size(), writes: true };
        let waiting = hazards::wait_for_history(stream, &self.accesses, self.stream_epoch(), &whole);
        synchronize_unless(waiting.is_ok(), stream);
    }

    /// Makes the home stream wait for the accesses to the memory that were not recorded because it had no handles, so that only
    /// the default stream was in use. The work of later holders waits for these accesses, but freeing the memory is not theirs.
    fn wait_for_default_stream(&self, home: &cuda::Stream) {
        if let StreamRef::Cuda(default) = self.device.default_stream().stream_ref()
            && !self.home.is_held()
        {
            let waiting = home.wait_for(default, default.sequence_enqueued_work());
            synchronize_unless(waiting.is_ok(), home);
        }
    }
}

/// Waits for the completion of all work if the driver could not enqueue a wait.
fn synchronize_unless(is_enqueued: bool, stream: &cuda::Stream) {
    if !is_enqueued && let Err(error) = stream.primary().synchronize() {
        stream.primary().note_drop_error(error);
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes on {})", self.bytes(), self.device())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(128))]
    struct Overaligned;

    #[track_caller]
    fn check<T>(len: usize) {
        let memory = Memory::allocate::<T>(&Device::cpu().default_stream(), len, Contents::Zeros).unwrap();
        assert_eq!(memory.pointer().addr() % align_of::<T>().max(ALIGNMENT), 0);
    }

    #[test]
    fn allocations_are_aligned_for_their_elements_even_if_empty() {
        check::<u8>(0);
        check::<u8>(1);
        check::<Overaligned>(5);
        check::<(u8, Overaligned)>(0);
        check::<(u8, Overaligned)>(3);
    }
}
