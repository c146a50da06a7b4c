//! The page-locked memory of an array, with the device copies in flight that access it.

use std::alloc::Layout;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cuda::{PageLocked, Refusal};
use crate::device::{Backend, Device};
use crate::error::{GraphError, Result};
use crate::event::Event;
use crate::memory::{Contents, Memory, no_room};
use crate::order::{Lane, Touch};
use crate::stream::Stream;
use crate::sync::{Mutex, MutexGuard};
use crate::types::{Element, make_valid};
use crate::warning::event;

/// The memory of a [`PinnedArray`](super::PinnedArray), with the device copies that access it.
pub(crate) struct PinnedMemory {
    whose: Whose,
    pub(super) device: Device,
    copies: Mutex<Copies>,
    /// Converts the bits that a device wrote to valid values; `None` if all bit patterns are valid.
    settle: Option<unsafe fn(*mut u8, Range<usize>)>,
}

/// Converts the elements in a byte range to valid values of their type, whatever their bits are.
///
/// # Safety
///
/// The range consists of whole elements inside of the memory at `start`, all bytes are initialised, and nothing else
/// accesses them.
unsafe fn settle<T: Element>(start: *mut u8, bytes: Range<usize>) {
    // SAFETY: upheld by the caller.
    unsafe { make_valid(start.add(bytes.start).cast::<T>(), bytes.len() / size_of::<T>().max(1)) };
}

/// The allocator of the memory.
enum Whose {
    /// Ordinary memory of the CPU device.
    Plain(Memory),
    /// Page-locked memory of the CUDA driver.
    PageLocked(PageLocked),
}

/// The copies that access the memory.
#[derive(Default)]
struct Copies {
    under_way: Vec<Copying>,
    /// The accesses of graphs that are being recorded.
    planned: Vec<(GraphNumber, Touch)>,
}

/// A device copy that is in flight, or was when it was last checked.
struct Copying {
    over: Over,
    /// The access to the host memory.
    touch: Touch,
}

/// The completion of a copy.
enum Over {
    /// Complete when the event is reached.
    When(Event),
    /// Complete when all work of the stream is: the driver could not create an event.
    With(Stream),
}

impl Over {
    /// Waits for the copy, and reports no fault.
    fn wait(&self) -> Result<(), Refusal> {
        match self {
            Over::When(event) => event.wait(),
            Over::With(stream) => match stream.lane() {
                Lane::Cpu(_) => Ok(()),
                Lane::Cuda(stream) => stream.wait(),
            },
        }
    }

    /// Returns the pending fault of a kernel before the copy, if any, and clears it. Call it after waiting.
    fn give_out_fault(&self) -> Result<()> {
        match self {
            Over::When(event) => event.give_out_fault(),
            Over::With(stream) => stream.lane().give_out_fault(),
        }
    }

    fn is_done(&self) -> Result<bool> {
        match self {
            Over::When(event) => event.is_done(),
            Over::With(stream) => stream.is_done(),
        }
    }

    /// Makes later work of `stream` wait for the copy.
    fn hold_up(&self, stream: &Stream) -> Result<()> {
        match self {
            Over::When(event) => event.hold_up(stream),
            Over::With(_) => Ok(self.wait()?),
        }
    }
}

/// The number of tracked copies from which on completed ones are retired.
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
            // SAFETY: all bytes are initialised to zero, and the memory is not shared yet.
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

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock()
    }

    /// Returns whether copies of a GPU can access the memory asynchronously.
    pub(crate) fn is_page_locked(&self) -> bool {
        matches!(self.whose, Whose::PageLocked(_))
    }

    /// Returns the device address of a byte, which equals its host address (CUDA Driver API, "Unified Addressing").
    pub(crate) fn address(&self, byte: usize) -> u64 {
        (self.pointer().expose_provenance() + byte) as u64
    }

    /// Enqueues a copy on `stream` that reads these bytes: `start` receives their address.
    pub(crate) fn reading(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*const u8) -> Result<()>,
    ) -> Result<()> {
        self.copying(stream, Touch { bytes, writes: false }, |address| start(address))
    }

    /// Enqueues a copy on `stream` that writes these bytes: `start` receives their address.
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
        copies.check_unplanned(&touch, None)?;
        self.make_way(&mut copies, stream, &touch)?;
        let started = start(self.pointer().wrapping_add(touch.bytes.start));
        // Even if it failed: the copy may have been enqueued before the error.
        copies.note(stream, touch);
        started
    }

    /// Resolves the hazards between the next copy on `stream` and the copies in flight.
    fn make_way(&self, copies: &mut Copies, stream: &Stream, touch: &Touch) -> Result<()> {
        if copies.under_way.len() >= MANY_COPIES {
            self.forget_those_over(copies);
        }
        if touch.writes && self.settle.is_some() {
            // The host converts the bits of an earlier copy to valid values, which must not race with another write.
            self.wait_for(copies, touch, |_| {})?;
        }
        copies
            .under_way
            .iter()
            .filter(|copying| copying.touch.conflicts(touch))
            .try_for_each(|it| it.over.hold_up(stream))
    }

    /// Returns the address of the first of these bytes, once no copy in flight conflicts with an access of the host.
    ///
    /// # Errors
    ///
    /// The driver error of a copy, [`GraphError::HostCopyPlanned`], or the fault of a kernel before a copy that was
    /// waited for; that copy is retired nevertheless.
    pub(crate) fn settled(&self, bytes: &Range<usize>, writes: bool) -> Result<*mut u8> {
        let touch = Touch { bytes: bytes.clone(), writes };
        let mut copies = self.copies();
        copies.check_unplanned(&touch, None)?;
        let mut waited = Vec::new();
        self.wait_for(&mut copies, &touch, |over| waited.push(over))?;
        drop(copies);
        waited.iter().try_for_each(Over::give_out_fault)?;
        Ok(self.pointer().wrapping_add(bytes.start))
    }

    /// Waits for the conflicting copies, and retires them.
    fn wait_for(&self, copies: &mut Copies, touch: &Touch, mut waited: impl FnMut(Over)) -> Result<()> {
        while let Some(i) = copies.under_way.iter().position(|copying| copying.touch.conflicts(touch)) {
            copies.under_way[i].over.wait()?;
            waited(self.forget(copies, i));
        }
        Ok(())
    }

    fn forget_those_over(&self, copies: &mut Copies) {
        for i in (0..copies.under_way.len()).rev() {
            if copies.under_way[i].over.is_done().unwrap_or(false) {
                self.forget(copies, i);
            }
        }
    }

    /// Retires a completed copy. What it wrote is converted to valid values before any reference to it can exist.
    fn forget(&self, copies: &mut Copies, i: usize) -> Over {
        let Copying { over, touch: Touch { bytes, writes } } = copies.under_way.swap_remove(i);
        if let (true, Some(settle)) = (writes, self.settle) {
            // SAFETY: the range is in bounds and consists of whole elements, as all ranges do. The copy has completed,
            // no other copy writes there (`copying` has waited), and the host reaches the elements only through
            // `wait_for`, which calls this.
            unsafe { settle(self.pointer(), bytes) };
        }
        over
    }
}

impl Copies {
    /// Fails if an access conflicts with a copy of a graph that is being recorded, except for the graph `of` itself.
    fn check_unplanned(&self, touch: &Touch, of: Option<GraphNumber>) -> Result<(), GraphError> {
        let conflicts = |(graph, planned): &(GraphNumber, Touch)| Some(*graph) != of && planned.conflicts(touch);
        if self.planned.iter().any(conflicts) { Err(GraphError::HostCopyPlanned) } else { Ok(()) }
    }

    /// Records a copy that was enqueued on the stream last.
    fn note(&mut self, stream: &Stream, touch: Touch) {
        let over = stream.record().map_or_else(|_| Over::With(stream.clone()), Over::When);
        self.under_way.push(Copying { over, touch });
    }
}

/// The process-wide identity of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GraphNumber(u64);

impl GraphNumber {
    pub(crate) fn new() -> GraphNumber {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        GraphNumber(NUMBERS.fetch_add(1, Ordering::Relaxed))
    }
}

/// A reservation of memory by a graph that is being recorded. Until the graph is launched, or this is dropped, nothing
/// else may access the bytes: a reference obtained during the recording could still be live when the copy executes.
pub(crate) struct Planned {
    memory: Arc<PinnedMemory>,
    graph: GraphNumber,
    touch: Touch,
}

impl Planned {
    /// # Errors
    ///
    /// [`GraphError::HostCopyPlanned`] if another graph that is being recorded has reserved such bytes.
    pub(crate) fn new(memory: &Arc<PinnedMemory>, graph: GraphNumber, touch: Touch) -> Result<Planned, GraphError> {
        let mut copies = memory.copies();
        copies.check_unplanned(&touch, Some(graph))?;
        copies.planned.push((graph, touch.clone()));
        Ok(Planned { memory: memory.clone(), graph, touch })
    }

    /// Returns whether the reservation is for this access.
    pub(crate) fn is(&self, memory: &Arc<PinnedMemory>, touch: &Touch) -> bool {
        Arc::ptr_eq(&self.memory, memory) && self.touch == *touch
    }

    /// Resolves the hazards between the graph, which is enqueued on `stream` next, and the copies in flight.
    pub(crate) fn make_way(&self, stream: &Stream) -> Result<()> {
        self.memory.make_way(&mut self.memory.copies(), stream, &self.touch)
    }

    /// Records that the graph was enqueued on the stream.
    pub(crate) fn note(self, stream: &Stream) {
        self.memory.copies().note(stream, self.touch.clone());
    }
}

impl Drop for Planned {
    fn drop(&mut self) {
        let mut copies = self.memory.copies();
        if let Some(i) = copies.planned.iter().position(|(graph, touch)| *graph == self.graph && *touch == self.touch) {
            copies.planned.swap_remove(i);
        }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let mut may_be_used = false;
        for Copying { over, touch: _ } in &self.copies.get_mut().under_way {
            if let Err(refusal) = over.wait() {
                may_be_used = true;
                if let Backend::Cuda(context) = self.device.backend() {
                    context.primary().note_dropped(refusal);
                }
            }
        }
        if let (true, Whose::PageLocked(memory)) = (may_be_used, &mut self.whose) {
            // The GPU is lost, so a copy may still be in flight.
            let device = self.device.clone();
            event!(error, target: "cumbia::transfer", %device, "page-locked memory is never freed");
            memory.leak();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_written_by_a_device_become_valid_values() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<bool>(4).unwrap();
        for round in 0..2 * MANY_COPIES {
            let bytes = round % 3..round % 3 + 1;
            buffer
                .memory()
                .writing(&device.default_stream(), bytes.clone(), |address| {
                    // SAFETY: the address is that of a byte of the buffer, which is not shared.
                    unsafe { address.write(0xff) };
                    Ok(())
                })
                .unwrap();
            if round % 5 == 0 {
                assert!(buffer.slice(bytes).unwrap().as_slice().unwrap()[0]);
            }
        }
        assert!(buffer.memory().copies().under_way.len() <= MANY_COPIES);
        // The byte of `true` is 1: the comparison compares bytes.
        assert_eq!(buffer.as_mut_slice().unwrap(), [true, true, true, false]);
    }
}
