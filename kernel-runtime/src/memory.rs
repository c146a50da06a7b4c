//! An allocation on a device: where it is, and copies in and out of it.
//!
//! Memory is bytes behind a raw pointer, never a `Vec` or a slice that lives on: while a kernel runs, many threads write
//! it, on the CPU too, and no Rust reference to the elements may be alive then. What the bytes mean is the business of
//! arrays and views, which say which of them they use.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::any::Any;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::cpu;
use crate::cuda;
use crate::device::{Backend, Device, Identity, host_memory};
use crate::error::{Error, Result};
use crate::order::{self, Lane, Uses};
use crate::stream::Stream;

/// A handle to an allocation on a device. Dropping the last one while kernels use the memory is fine: it is freed behind
/// them.
pub(crate) struct Memory {
    allocation: Arc<Allocation>,
    /// The device's, beside the handle: a launch compares the devices of its arrays, whose allocations it need not touch.
    on: Identity,
}

/// The allocation itself.
pub(crate) struct Allocation {
    device: Device,
    /// Where it was allocated.
    home: Lane,
    /// On a GPU, an address there. Where there are no bytes, nothing is allocated, and this is as aligned as the layout says.
    pointer: *mut u8,
    layout: Layout,
    uses: Uses,
    freed: FreedBy,
}

/// Who frees an allocation.
enum FreedBy {
    /// We do.
    Us,
    /// Whoever made it, when this is dropped.
    Owner(
        #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "it is kept to be dropped"))]
        Box<dyn Any + Send + Sync>,
    ),
    /// Somebody who has lent it for the time of a call.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only another library lends memory"))]
    Lender,
}

// SAFETY: the memory belongs to this object or its owner, which may be sent, and its bytes are touched by the `unsafe`
// methods only, whose callers promise that no two of them conflict. The handles of the device and the stream may be sent.
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

/// Memory of the CPU starts on a cache line, as GPU memory does (that starts on 256 bytes).
const ALIGNMENT: usize = 64;

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
        let pointer = match stream.lane() {
            // The driver allocates no 0 bytes, nor does the host. Aligned, not null, and never read.
            _ if let Some(layout) = layout.filter(|layout| layout.size() == 0) => {
                std::ptr::without_provenance_mut(layout.align())
            }
            Lane::Cpu(_) => allocate_on_host(layout, contents).ok_or_else(|| no_room::<T>(device.to_string(), len))?,
            // More bytes than an address can name: the GPU refuses them too, with its own numbers.
            Lane::Cuda(stream) => {
                let address = stream.alloc(layout.map_or(usize::MAX, |layout| layout.size()))?;
                std::ptr::without_provenance_mut(address as usize)
            }
        };
        // Where there is no layout, the allocation has failed.
        let layout = layout.ok_or_else(|| no_room::<T>(device.to_string(), len))?;
        let home = stream.lane().clone();
        let memory = Memory::new(device, home, pointer, layout, FreedBy::Us);
        if let Lane::Cuda(stream) = &memory.home {
            // Other streams may use the memory only behind its allocation, as behind a write.
            let all = [Use { memory: &memory, bytes: 0..memory.bytes(), writes: true }];
            order::ordered(stream, &all, || match contents {
                Contents::Nothing => Ok(()),
                // SAFETY: the memory has that many bytes.
                Contents::Zeros => Ok(unsafe { stream.clear(memory.address(0), memory.bytes()) }?),
            })?;
        }
        Ok(memory)
    }

    /// The device that it is on, to be compared.
    #[inline]
    pub(crate) fn on(&self) -> Identity {
        self.on
    }

    /// Memory that `owner` frees when it is dropped. That happens once everything that uses the memory is over or, on a
    /// GPU, was waited for by `stream`: so that the owner may free it in the order of that stream.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// `pointer` is memory of the stream's device with the size and alignment of `layout`, for as long as `owner` lives.
    /// Nobody else uses it meanwhile, but in the order of the stream.
    pub(crate) unsafe fn foreign(
        stream: &Stream,
        pointer: *mut u8,
        layout: Layout,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Memory> {
        Memory::of_others(stream, pointer, layout, FreedBy::Owner(owner))
    }

    /// Memory that somebody has lent. When this is dropped, `stream` has waited on a GPU for all that uses the memory, or
    /// will before what it is asked for later.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// As for [`Memory::foreign`], where the lender takes the place of `owner`: the memory is there until this is dropped, and
    /// what is asked of the stream until then is done.
    #[cfg(feature = "cudarc")]
    pub(crate) unsafe fn lent(stream: &Stream, pointer: *mut u8, layout: Layout) -> Result<Memory> {
        Memory::of_others(stream, pointer, layout, FreedBy::Lender)
    }

    /// Memory that was used on `stream`.
    fn of_others(stream: &Stream, pointer: *mut u8, layout: Layout, freed: FreedBy) -> Result<Memory> {
        let memory = Memory::new(stream.device(), stream.lane().clone(), pointer, layout, freed);
        if let Lane::Cuda(stream) = &memory.home {
            // Other streams come behind what this one was asked for, as behind a write.
            let all = [Use { memory: &memory, bytes: 0..memory.bytes(), writes: true }];
            order::ordered(stream, &all, || Ok(()))?;
        }
        Ok(memory)
    }

    fn new(device: &Device, home: Lane, pointer: *mut u8, layout: Layout, freed: FreedBy) -> Memory {
        let device = device.clone();
        let on = device.identity();
        Memory { allocation: Arc::new(Allocation { device, home, pointer, layout, uses: Uses::default(), freed }), on }
    }

    /// Another handle, which keeps the memory as long as it lives. None for memory that was only lent.
    pub(crate) fn keep(&self) -> Option<Memory> {
        match self.freed {
            FreedBy::Us | FreedBy::Owner(_) => Some(Memory { allocation: self.allocation.clone(), on: self.on }),
            FreedBy::Lender => None,
        }
    }

    /// Gives the memory away, for someone else to free or with its owner, behind what `stream` is asked for from now on. `None`
    /// where it was only lent, or where something else keeps it; this handle is then dropped.
    #[cfg(feature = "cudarc")]
    pub(crate) fn give_away(self, stream: &cuda::Stream) -> Option<(*mut u8, Option<Box<dyn Any + Send + Sync>>)> {
        let mut allocation = Arc::try_unwrap(self.allocation).ok()?;
        let owner = match std::mem::replace(&mut allocation.freed, FreedBy::Lender) {
            FreedBy::Us => None,
            FreedBy::Owner(owner) => Some(owner),
            FreedBy::Lender => return None,
        };
        allocation.wait_for_all_uses(stream);
        Some((allocation.pointer, owner))
    }

    /// The device that holds it.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The stream on which it was allocated.
    pub(crate) fn home(&self) -> Stream {
        Stream::of(&self.device, self.home.clone())
    }

    /// The first byte. On a GPU it is an address of the device, without provenance: the host must not read through it.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// How many bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// How it was used on streams.
    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }

    /// Copies bytes to the host, once all that was asked of them before is done, and waits for it.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel faulted on a stream that wrote them (the bytes are copied all the same), or what the
    /// driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and `to` is valid for writing as many bytes.
    pub(crate) unsafe fn read(&self, on: Option<&Stream>, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        let writers = self.uses.writers(&bytes);
        let lane = match on {
            Some(stream) => self.lane_of(stream)?,
            // There the copy need not wait for another stream, and what went wrong is to be found.
            None => writers.iter().find(|lane| self.is_of_device(lane)).unwrap_or(&self.home),
        };
        // SAFETY: the caller's promise; where this waits, that is below.
        unsafe { self.copy_out(lane, bytes, to) }?;
        if let Lane::Cuda(stream) = lane {
            stream.wait_and_print()?;
        }
        // All those that wrote are over.
        lane.give_out_fault()?;
        writers.iter().try_for_each(Lane::give_out_fault)
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
        let last;
        let lane = if let Some(stream) = on {
            self.lane_of(stream)?
        } else {
            last = self.last_lane();
            &last
        };
        // SAFETY: the caller's promise; this waits before it returns.
        unsafe { self.copy_in(lane, bytes, from) }?;
        match lane {
            Lane::Cpu(_) => Ok(()),
            // The manual's "API synchronization behavior" says only that a copy from pageable memory *might* be synchronous,
            // and the caller's memory may be page-locked.
            Lane::Cuda(stream) => Ok(stream.wait()?),
        }
    }

    /// As [`Memory::read`], but does not wait on a GPU: what is asked of the stream later happens behind the copy. Faults are
    /// given out by whoever waits.
    ///
    /// # Safety
    ///
    /// As for [`Memory::read`], where `to` is page-locked memory that stays, and that nobody else uses, until the copy is
    /// over.
    pub(crate) unsafe fn start_read(&self, on: &Stream, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.copy_out(self.lane_of(on)?, bytes, to) }
    }

    /// As [`Memory::write`], but does not wait on a GPU.
    ///
    /// # Safety
    ///
    /// As for [`Memory::write`], where `from` is page-locked memory that stays, and that nobody changes, until the copy is
    /// over.
    pub(crate) unsafe fn start_write(&self, on: &Stream, bytes: Range<usize>, from: *const u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.copy_in(self.lane_of(on)?, bytes, from) }
    }

    /// Repeats the bytes of `element` over a range, on the device. Does not wait on a GPU.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and as long as some number of elements. Nobody else uses these bytes meanwhile.
    pub(crate) unsafe fn fill(&self, on: &Stream, bytes: Range<usize>, element: &[u8]) -> Result<()> {
        trace("fill", &self.device, bytes.len());
        match self.lane_of(on)? {
            Lane::Cpu(stream) => {
                if !element.is_empty() {
                    for at in bytes.clone().step_by(element.len()) {
                        // SAFETY: the caller's promise.
                        unsafe { self.pointer.add(at).copy_from_nonoverlapping(element.as_ptr(), element.len()) };
                    }
                }
                self.note_on_cpu(stream, bytes, true);
                Ok(())
            }
            Lane::Cuda(stream) => {
                let uses = [Use { memory: self, bytes: bytes.clone(), writes: true }];
                // SAFETY: the caller's promise.
                order::ordered(stream, &uses, || unsafe {
                    Ok(stream.fill(self.address(bytes.start), bytes.len(), element)?)
                })
            }
        }
    }

    /// Copies bytes to other memory, from its byte `at` on; that may be on another device. Between GPUs it does not wait, and
    /// `on` may be a stream of either.
    ///
    /// # Errors
    ///
    /// What the driver refused. Where it waits, [`Error::Fault`] as from [`Memory::read`].
    ///
    /// # Safety
    ///
    /// Both ranges are inside, and do not overlap. Nobody else writes the first, or uses the second, meanwhile.
    pub(crate) unsafe fn copy_to(&self, on: &Stream, bytes: Range<usize>, to: &Memory, at: usize) -> Result<()> {
        let target = at..at + bytes.len();
        if on.device() != &self.device && on.device() != &to.device {
            return Err(elsewhere(on, &to.device));
        }
        match (self.device.backend(), to.device.backend(), on.lane()) {
            (Backend::Cpu(_), Backend::Cpu(_), _) => {
                trace("copy", &to.device, bytes.len());
                // SAFETY: the caller's promise.
                unsafe {
                    let (from, to) = (self.pointer.add(bytes.start), to.pointer.add(at));
                    to.copy_from_nonoverlapping(from, bytes.len());
                }
                if let Lane::Cpu(stream) = on.lane() {
                    self.note_on_cpu(stream, bytes, false);
                    to.note_on_cpu(stream, target, true);
                }
                Ok(())
            }
            // SAFETY: the caller's promise.
            (Backend::Cpu(_), Backend::Cuda(_), _) => unsafe {
                let on = (on.device() == &to.device).then_some(on);
                to.write(on, target, self.pointer.add(bytes.start))
            },
            // SAFETY: the caller's promise.
            (Backend::Cuda(_), Backend::Cpu(_), _) => unsafe {
                let on = (on.device() == &self.device).then_some(on);
                self.read(on, bytes, to.pointer.add(at))
            },
            (Backend::Cuda(source), Backend::Cuda(destination), Lane::Cuda(stream)) => {
                trace("copy", &to.device, bytes.len());
                if self.device != to.device {
                    // The stream uses memory of both, so that both have to note it: see `order.rs`.
                    let (own, other) =
                        if on.device() == &self.device { (source, destination) } else { (destination, source) };
                    own.expect_company()?;
                    other.let_in(stream)?;
                }
                let uses = [
                    Use { memory: self, bytes: bytes.clone(), writes: false },
                    Use { memory: to, bytes: target.clone(), writes: true },
                ];
                let (from, to) = (self.address(bytes.start), to.address(at));
                // SAFETY: the caller's promise, and the addresses are those of these contexts.
                order::ordered(stream, &uses, || unsafe {
                    Ok(stream.copy(destination.primary(), to, source.primary(), from, bytes.len())?)
                })
            }
            // A stream of one of two GPUs is that of a GPU.
            (Backend::Cuda(_), Backend::Cuda(_), Lane::Cpu(_)) => Err(elsewhere(on, &to.device)),
        }
    }

    /// Copies bytes to the host, in the order of a stream of the device.
    ///
    /// # Safety
    ///
    /// As for [`Memory::start_read`].
    unsafe fn copy_out(&self, lane: &Lane, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        trace("to host", &self.device, bytes.len());
        match lane {
            Lane::Cpu(stream) => {
                // SAFETY: the caller's promise; no kernel is writing, since a launch on the CPU borrows the array mutably
                // until it is over.
                unsafe { to.copy_from_nonoverlapping(self.pointer.add(bytes.start), bytes.len()) };
                self.note_on_cpu(stream, bytes, false);
                Ok(())
            }
            Lane::Cuda(stream) => {
                let uses = [Use { memory: self, bytes: bytes.clone(), writes: false }];
                // SAFETY: the caller's promise.
                order::ordered(stream, &uses, || unsafe {
                    Ok(stream.copy_to_host(to.cast(), self.address(bytes.start), bytes.len())?)
                })
            }
        }
    }

    /// Copies bytes from the host, in the order of a stream of the device.
    ///
    /// # Safety
    ///
    /// As for [`Memory::start_write`].
    unsafe fn copy_in(&self, lane: &Lane, bytes: Range<usize>, from: *const u8) -> Result<()> {
        trace("to device", &self.device, bytes.len());
        match lane {
            Lane::Cpu(stream) => {
                // SAFETY: the caller's promise.
                unsafe { self.pointer.add(bytes.start).copy_from_nonoverlapping(from, bytes.len()) };
                self.note_on_cpu(stream, bytes, true);
                Ok(())
            }
            Lane::Cuda(stream) => {
                let uses = [Use { memory: self, bytes: bytes.clone(), writes: true }];
                // SAFETY: the caller's promise.
                order::ordered(stream, &uses, || unsafe {
                    Ok(stream.copy_from_host(self.address(bytes.start), from.cast(), bytes.len())?)
                })
            }
        }
    }

    /// Notes who used the memory on the CPU, where there is more than one stream.
    fn note_on_cpu(&self, stream: &Arc<cpu::Stream>, bytes: Range<usize>, writes: bool) {
        if let Backend::Cpu(streams) = self.device.backend()
            && streams.are_several()
        {
            self.uses.note_on_cpu(stream, bytes, writes);
        }
    }

    /// The stream, if it is one of the memory's device.
    fn lane_of<'s>(&self, stream: &'s Stream) -> Result<&'s Lane> {
        if stream.device() == &self.device { Ok(stream.lane()) } else { Err(elsewhere(stream, &self.device)) }
    }

    /// The address of a byte on a GPU.
    fn address(&self, byte: usize) -> u64 {
        (self.pointer.addr() + byte) as u64
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.layout.size() == 0 {
            return; // an owner is dropped all the same
        }
        match (&self.home, &self.freed) {
            (Lane::Cpu(_), FreedBy::Owner(_) | FreedBy::Lender) => {}
            // SAFETY: allocated with this layout; launches on the CPU are over when they return.
            (Lane::Cpu(_), FreedBy::Us) => unsafe { dealloc(self.pointer, self.layout) },
            // They free it in the order of this stream.
            (Lane::Cuda(home), FreedBy::Owner(_) | FreedBy::Lender) => self.wait_for_all_uses(home),
            (Lane::Cuda(home), FreedBy::Us) => {
                // Where it was used last, the wait for its other uses is most likely over, and holds up nothing else.
                let stream = match self.last_lane() {
                    Lane::Cuda(stream) => stream,
                    Lane::Cpu(_) => home.clone(),
                };
                self.wait_for_all_uses(&stream);
                // SAFETY: allocated there; the free is ordered behind all that was given the pointer.
                unsafe { stream.free(self.pointer.addr() as u64) };
            }
        }
    }
}

impl Allocation {
    /// The stream of the device that used the memory last.
    fn last_lane(&self) -> Lane {
        self.uses.last(|lane| self.is_of_device(lane)).unwrap_or_else(|| self.home.clone())
    }

    /// Whether a stream that used the memory is one of its device, and not of another GPU.
    fn is_of_device(&self, lane: &Lane) -> bool {
        match (lane, &self.home) {
            (Lane::Cuda(stream), Lane::Cuda(home)) => stream.is_beside(home),
            (Lane::Cpu(_), Lane::Cpu(_)) => true,
            (Lane::Cpu(_), Lane::Cuda(_)) | (Lane::Cuda(_), Lane::Cpu(_)) => false,
        }
    }

    /// Lets what is asked of `stream` from now on happen behind all that uses the memory.
    pub(crate) fn wait_for_all_uses(&self, stream: &cuda::Stream) {
        let waiting = self.uses.wait(stream, &(0..self.layout.size()), true);
        // The driver has no means to wait: so it has to be over.
        if waiting.is_err()
            && let Err(refusal) = stream.primary().wait_for_everything()
        {
            stream.primary().note_dropped(refusal);
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes on {})", self.bytes(), self.device())
    }
}

/// A stream of another device than the memory.
fn elsewhere(stream: &Stream, device: &Device) -> Error {
    Error::StreamElsewhere { stream: stream.device().to_string(), device: device.to_string() }
}

/// Tells who listens of a transfer.
fn trace(what: &'static str, device: &Device, bytes: usize) {
    tracing::trace!(target: "cumbia::transfer", what, bytes, %device);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(128))]
    struct Broad;

    #[track_caller]
    fn check<T>(len: usize) {
        let memory = Memory::allocate::<T>(&Device::cpu().default_stream(), len, Contents::Zeros).unwrap();
        assert_eq!(memory.pointer().addr() % align_of::<T>().max(ALIGNMENT), 0);
    }

    #[test]
    fn memory_is_aligned_for_its_elements_also_where_there_are_none() {
        check::<u8>(0);
        check::<u8>(1);
        check::<Broad>(5);
        check::<(u8, Broad)>(0);
        check::<(u8, Broad)>(3);
    }
}
