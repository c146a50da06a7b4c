//! The memory of a page-locked array, and the copies that are under way.

use std::alloc::Layout;
use std::ops::Range;

use crate::cuda::PageLocked;
use crate::device::{Backend, Device};
use crate::error::Result;
use crate::event::Event;
use crate::memory::{Contents, Memory, no_room};
use crate::order::{Lane, Touch};
use crate::stream::Stream;
use crate::sync::{Mutex, MutexGuard};
use crate::types::{Element, make_valid};

/// The memory of a [`PinnedArray`], and the copies of devices that use it.
pub(crate) struct PinnedMemory {
    whose: Whose,
    pub(super) device: Device,
    copies: Mutex<Vec<Copying>>,
    /// Makes values of what a device wrote; `None` where all bits are values.
    settle: Option<unsafe fn(*mut u8, Range<usize>)>,
}

/// Makes values of the elements in a range of bytes, whatever is in them.
///
/// # Safety
///
/// The range is of elements inside of the memory at `start`, initialised, and nobody else accesses them.
unsafe fn settle<T: Element>(start: *mut u8, bytes: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { make_valid(start.add(bytes.start).cast::<T>(), bytes.len() / size_of::<T>().max(1)) };
}

/// Whose memory it is.
enum Whose {
    /// The CPU device's.
    Plain(Memory),
    /// The CUDA driver's.
    PageLocked(PageLocked),
}

/// A copy of a device that is under way, or was when it was last looked at.
struct Copying {
    over: Over,
    /// What the device does with the host's memory.
    touch: Touch,
}

/// When a copy is over.
enum Over {
    /// When this has happened.
    When(Event),
    /// When all that was asked of the stream is: the driver had no event.
    With(Stream),
}

impl Over {
    /// Waits, and gives out no fault.
    fn wait(&self) -> Result<()> {
        match self {
            Over::When(event) => event.wait(),
            Over::With(stream) => match stream.lane() {
                Lane::Cpu(_) => Ok(()),
                Lane::Cuda(stream) => Ok(stream.wait()?),
            },
        }
    }

    fn is_done(&self) -> Result<bool> {
        match self {
            Over::When(event) => event.is_done(),
            Over::With(stream) => stream.is_done(),
        }
    }

    /// Lets what is asked of `stream` from now on happen behind the copy.
    fn hold_up(&self, stream: &Stream) -> Result<()> {
        match self {
            Over::When(event) => event.hold_up(stream),
            Over::With(_) => self.wait(),
        }
    }
}

/// So many copies are kept in mind before those that are over are looked for.
const MANY_COPIES: usize = 32;

impl PinnedMemory {
    pub(super) fn allocate<T: Element>(device: &Device, len: usize) -> Result<PinnedMemory> {
        let whose = match device.backend() {
            Backend::Cpu(_) => Whose::Plain(Memory::allocate::<T>(&device.default_stream(), len, Contents::Zeros)?),
            Backend::Cuda(context) => {
                let layout = Layout::array::<T>(len).map_err(|_| no_room::<T>(device.to_string(), len))?;
                Whose::PageLocked(context.page_locked(layout)?)
            }
        };
        let settle: Option<unsafe fn(*mut u8, Range<usize>)> = if T::ANY_BITS { None } else { Some(settle::<T>) };
        let memory = PinnedMemory { whose, device: device.clone(), copies: Mutex::default(), settle };
        if let Some(settle) = settle {
            // SAFETY: all bytes are there and zero, and nobody else has them yet.
            unsafe { settle(memory.pointer(), 0..len * size_of::<T>()) };
        }
        Ok(memory)
    }

    fn pointer(&self) -> *mut u8 {
        match &self.whose {
            Whose::Plain(memory) => memory.pointer(),
            Whose::PageLocked(memory) => memory.pointer(),
        }
    }

    fn copies(&self) -> MutexGuard<'_, Vec<Copying>> {
        self.copies.lock()
    }

    /// Starts a copy on `stream` that reads these bytes: `start` gets their address.
    pub(crate) fn reading(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*const u8) -> Result<()>,
    ) -> Result<()> {
        self.copying(stream, Touch { bytes, writes: false }, |address| start(address))
    }

    /// Starts a copy on `stream` that writes these bytes: `start` gets their address.
    pub(crate) fn writing(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<()> {
        self.copying(stream, Touch { bytes, writes: true }, start)
    }

    fn copying(&self, stream: &Stream, touch: Touch, start: impl FnOnce(*mut u8) -> Result<()>) -> Result<()> {
        let mut copies = self.copies();
        if copies.len() >= MANY_COPIES {
            self.forget_those_over(&mut copies);
        }
        if touch.writes && self.settle.is_some() {
            // Bits that one copy wrote are made values by the host, which must not happen while another writes there.
            self.wait_for(&mut copies, &touch)?;
        }
        for copying in copies.iter().filter(|copying| copying.touch.conflicts(&touch)) {
            copying.over.hold_up(stream)?;
        }
        let started = start(self.pointer().wrapping_add(touch.bytes.start));
        // Also where it failed: the copy may have been asked for before that.
        let over = stream.record().map_or_else(|_| Over::With(stream.clone()), Over::When);
        copies.push(Copying { over, touch });
        started
    }

    /// The first of these bytes, once no copy conflicts with the host's reading or writing them.
    ///
    /// # Errors
    ///
    /// What the driver said of a copy.
    pub(crate) fn settled(&self, bytes: &Range<usize>, writes: bool) -> Result<*mut u8> {
        self.wait_for(&mut self.copies(), &Touch { bytes: bytes.clone(), writes })?;
        Ok(self.pointer().wrapping_add(bytes.start))
    }

    /// Waits for the copies that conflict, and forgets them.
    fn wait_for(&self, copies: &mut Vec<Copying>, touch: &Touch) -> Result<()> {
        while let Some(i) = copies.iter().position(|copying| copying.touch.conflicts(touch)) {
            copies[i].over.wait()?;
            self.forget(copies, i);
        }
        Ok(())
    }

    fn forget_those_over(&self, copies: &mut Vec<Copying>) {
        for i in (0..copies.len()).rev() {
            if copies[i].over.is_done().unwrap_or(false) {
                self.forget(copies, i);
            }
        }
    }

    /// Forgets a copy that is over. What it wrote becomes values now, before anyone sees it: until then nobody could get a
    /// reference to it.
    fn forget(&self, copies: &mut Vec<Copying>, i: usize) {
        let Copying { over: _, touch: Touch { bytes, writes } } = copies.swap_remove(i);
        if let (true, Some(settle)) = (writes, self.settle) {
            // SAFETY: the range is inside and of whole elements, as all ranges are. The copy is over, no other writes there
            // (`copying` has waited), and the host could reach the elements only through `wait_for`, which ends here.
            unsafe { settle(self.pointer(), bytes) };
        }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let mut copies = std::mem::take(self.copies.get_mut());
        copies.retain(|copying| copying.over.wait().is_err());
        if let (false, Whose::PageLocked(memory)) = (copies.is_empty(), &mut self.whose) {
            // A copy may still be using it, for all that is known: the GPU is lost.
            tracing::error!(target: "cumbia::transfer", device = %self.device, "page-locked memory is never freed");
            memory.leak();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_wrote_becomes_values() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<bool>(4).unwrap();
        for round in 0..2 * MANY_COPIES {
            let bytes = round % 3..round % 3 + 1;
            buffer
                .memory()
                .writing(&device.default_stream(), bytes.clone(), |address| {
                    // SAFETY: the address is that of a byte of the buffer, which nobody else has.
                    unsafe { address.write(0xff) };
                    Ok(())
                })
                .unwrap();
            if round % 5 == 0 {
                assert!(buffer.slice(bytes).unwrap().as_slice().unwrap()[0]);
            }
        }
        assert!(buffer.memory().copies().len() <= MANY_COPIES);
        // The byte of a `true` is 1: comparing compares bytes.
        assert_eq!(buffer.as_mut_slice().unwrap(), [true, true, true, false]);
    }
}
