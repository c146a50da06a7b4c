//! An allocation on a device: where it is, who frees it, and copies in and out of it (`copies`).
//!
//! Memory is bytes behind a raw pointer, never a `Vec` or a slice that lives on: while a kernel runs, many threads write
//! it, on the CPU too, and no Rust reference to the elements may be alive then. What the bytes mean is the business of
//! arrays and views, which say which of them they use.

mod copies;
mod host;

use std::alloc::{Layout, dealloc};
use std::any::Any;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use self::host::allocate_on_host;
pub(crate) use self::host::{host_memory, no_room, out_of_memory};
use crate::cuda;
use crate::device::{Device, Identity};
use crate::error::Result;
use crate::order::{self, Lane, Tenant, Touch, Uses};
use crate::stream::Stream;
use crate::sync::assert_unlocked;

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
    home: Tenant,
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

impl Use<'_> {
    pub(crate) fn touch(&self) -> Touch {
        Touch { bytes: self.bytes.clone(), writes: self.writes }
    }
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
        if let Lane::Cuda(stream) = memory.home.lane() {
            // Other streams may use the memory only behind its allocation, as behind a write.
            order::ordered(stream, &[memory.whole()], || match contents {
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
        if let Lane::Cuda(stream) = memory.home.lane() {
            // Other streams come behind what this one was asked for, as behind a write.
            order::ordered(stream, &[memory.whole()], || Ok(()))?;
        }
        Ok(memory)
    }

    fn new(device: &Device, home: Lane, pointer: *mut u8, layout: Layout, freed: FreedBy) -> Memory {
        let device = device.clone();
        let (on, home) = (device.identity(), Tenant::of(home));
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

    /// The stream on which it was allocated, or the device's default one where that has another holder by now.
    pub(crate) fn home(&self) -> Stream {
        Stream::of(&self.device, self.home_lane())
    }

    /// The first byte. On a GPU it is an address of the device, without provenance: the host must not read through it.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// How many bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// The address of a byte on a GPU.
    fn address(&self, byte: usize) -> u64 {
        (self.pointer.addr() + byte) as u64
    }

    /// A use of all of it, as of a write.
    fn whole(&self) -> Use<'_> {
        Use { memory: self, bytes: 0..self.bytes(), writes: true }
    }

    /// How it was used on streams.
    pub(crate) fn uses(&self) -> &Uses {
        &self.uses
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // An owner is foreign code.
        assert_unlocked();
        if self.layout.size() == 0 {
            return; // an owner is dropped all the same
        }
        match (self.home.lane(), &self.freed) {
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
        self.uses.last(|tenant| self.is_of_device(tenant.lane())).unwrap_or_else(|| self.home.lane().clone())
    }

    /// The stream of an operation that names none: where the memory was used last by whoever holds the stream still. What
    /// others do on theirs, and what goes wrong there, is not to be mixed with it.
    fn own_lane(&self) -> Lane {
        let is_own = |tenant: &Tenant| tenant.is_current() && self.is_of_device(tenant.lane());
        self.uses.last(is_own).unwrap_or_else(|| self.home_lane())
    }

    fn home_lane(&self) -> Lane {
        if self.home.is_current() { self.home.lane().clone() } else { self.device.default_stream().lane().clone() }
    }

    /// Whether a stream that used the memory is one of its device, and not of another GPU.
    fn is_of_device(&self, lane: &Lane) -> bool {
        match (lane, self.home.lane()) {
            (Lane::Cuda(stream), Lane::Cuda(home)) => stream.is_beside(home),
            (Lane::Cpu(_), Lane::Cpu(_)) => true,
            (Lane::Cpu(_), Lane::Cuda(_)) | (Lane::Cuda(_), Lane::Cpu(_)) => false,
        }
    }

    /// Lets what is asked of `stream` from now on happen behind all that uses the memory.
    pub(crate) fn wait_for_all_uses(&self, stream: &cuda::Stream) {
        let waiting = self.uses.wait(stream, &Touch { bytes: 0..self.layout.size(), writes: true });
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
