//! The memory of a page-locked array, and the copies that are under way.

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

/// The memory of a [`PinnedArray`](super::PinnedArray), and the copies of devices that use it.
pub(crate) struct PinnedMemory {
    whose: Whose,
    pub(super) device: Device,
    copies: Mutex<Copies>,
    /// Makes values of what a device wrote; `None` where all bits are values.
    settle: Option<unsafe fn(*mut u8, Range<usize>)>,
}

/// Makes values of the elements in a range of bytes, whatever is in them.
///
/// # Safety
///
/// The range is of elements inside of the memory at `start`, initialised, and nobody else accesses them.
unsafe fn settle<T: Element>(start: *mut u8, bytes: Range<usize>) {
    // SAFETY: upheld by the caller.
    unsafe { make_valid(start.add(bytes.start).cast::<T>(), bytes.len() / size_of::<T>().max(1)) };
}

/// Whose memory it is.
enum Whose {
    /// The CPU device's.
    Plain(Memory),
    /// The CUDA driver's.
    PageLocked(PageLocked),
}

/// The copies that use the memory.
#[derive(Default)]
struct Copies {
    under_way: Vec<Copying>,
    /// What graphs will do with it that are being recorded, each with its number.
    planned: Vec<(GraphNumber, Touch)>,
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
    fn wait(&self) -> Result<(), Refusal> {
        match self {
            Over::When(event) => event.wait(),
            Over::With(stream) => match stream.lane() {
                Lane::Cpu(_) => Ok(()),
                Lane::Cuda(stream) => stream.wait(),
            },
        }
    }

    /// The fault of a kernel before the copy, once: for who has waited.
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

    /// Lets what is asked of `stream` from now on happen behind the copy.
    fn hold_up(&self, stream: &Stream) -> Result<()> {
        match self {
            Over::When(event) => event.hold_up(stream),
            Over::With(_) => Ok(self.wait()?),
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

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock()
    }

    /// Whether a GPU copies from and to it while the host goes on.
    pub(crate) fn is_page_locked(&self) -> bool {
        matches!(self.whose, Whose::PageLocked(_))
    }

    /// The address of a byte on a GPU, which is that on the host (CUDA Driver API, "Unified Addressing").
    pub(crate) fn address(&self, byte: usize) -> u64 {
        (self.pointer().expose_provenance() + byte) as u64
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
        copies.check_unplanned(&touch, None)?;
        self.make_way(&mut copies, stream, &touch)?;
        let started = start(self.pointer().wrapping_add(touch.bytes.start));
        // Also where it failed: the copy may have been asked for before that.
        copies.note(stream, touch);
        started
    }

    /// Sees to it that a copy that `stream` is asked for next conflicts with none that is under way.
    fn make_way(&self, copies: &mut Copies, stream: &Stream, touch: &Touch) -> Result<()> {
        if copies.under_way.len() >= MANY_COPIES {
            self.forget_those_over(copies);
        }
        if touch.writes && self.settle.is_some() {
            // Bits that one copy wrote are made values by the host, which must not happen while another writes there.
            self.wait_for(copies, touch, |_| {})?;
        }
        copies
            .under_way
            .iter()
            .filter(|copying| copying.touch.conflicts(touch))
            .try_for_each(|it| it.over.hold_up(stream))
    }

    /// The first of these bytes, once no copy conflicts with the host's reading or writing them.
    ///
    /// # Errors
    ///
    /// What the driver said of a copy, [`GraphError::HostCopyPlanned`], or the fault of a kernel before a copy that was waited
    /// for; that copy is then no longer in the way.
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

    /// Waits for the copies that conflict, and forgets them.
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

    /// Forgets a copy that is over. What it wrote becomes values now, before anyone sees it: until then nobody could get a
    /// reference to it.
    fn forget(&self, copies: &mut Copies, i: usize) -> Over {
        let Copying { over, touch: Touch { bytes, writes } } = copies.under_way.swap_remove(i);
        if let (true, Some(settle)) = (writes, self.settle) {
            // SAFETY: the range is inside and of whole elements, as all ranges are. The copy is over, no other writes there
            // (`copying` has waited), and the host could reach the elements only through `wait_for`, which ends here.
            unsafe { settle(self.pointer(), bytes) };
        }
        over
    }
}

impl Copies {
    /// Refuses what conflicts with a copy of a graph that is being recorded, unless it is of that graph itself.
    fn check_unplanned(&self, touch: &Touch, of: Option<GraphNumber>) -> Result<(), GraphError> {
        let conflicts = |(graph, planned): &(GraphNumber, Touch)| Some(*graph) != of && planned.conflicts(touch);
        if self.planned.iter().any(conflicts) { Err(GraphError::HostCopyPlanned) } else { Ok(()) }
    }

    /// Notes a copy that the stream was asked for last.
    fn note(&mut self, stream: &Stream, touch: Touch) {
        let over = stream.record().map_or_else(|_| Over::With(stream.clone()), Over::When);
        self.under_way.push(Copying { over, touch });
    }
}

/// Tells graphs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GraphNumber(u64);

impl GraphNumber {
    pub(crate) fn new() -> GraphNumber {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        GraphNumber(NUMBERS.fetch_add(1, Ordering::Relaxed))
    }
}

/// A use of the memory by a graph that is being recorded. Until the graph is launched, or this is dropped, nobody else gets at the
/// bytes: whoever got a reference to them while the graph was recorded could still have it when the copy begins.
pub(crate) struct Planned {
    memory: Arc<PinnedMemory>,
    graph: GraphNumber,
    touch: Touch,
}

impl Planned {
    /// # Errors
    ///
    /// [`GraphError::HostCopyPlanned`] where another graph that is being recorded has such bytes.
    pub(crate) fn new(memory: &Arc<PinnedMemory>, graph: GraphNumber, touch: Touch) -> Result<Planned, GraphError> {
        let mut copies = memory.copies();
        copies.check_unplanned(&touch, Some(graph))?;
        copies.planned.push((graph, touch.clone()));
        Ok(Planned { memory: memory.clone(), graph, touch })
    }

    /// Whether it is just this use.
    pub(crate) fn is(&self, memory: &Arc<PinnedMemory>, touch: &Touch) -> bool {
        Arc::ptr_eq(&self.memory, memory) && self.touch == *touch
    }

    /// Sees to it that the graph, which `stream` is asked for next, conflicts with no copy that is under way.
    pub(crate) fn make_way(&self, stream: &Stream) -> Result<()> {
        self.memory.make_way(&mut self.memory.copies(), stream, &self.touch)
    }

    /// Notes that the stream was asked for the graph.
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
            // A copy may still be using it, for all that is known: the GPU is lost.
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
        assert!(buffer.memory().copies().under_way.len() <= MANY_COPIES);
        // The byte of a `true` is 1: comparing compares bytes.
        assert_eq!(buffer.as_mut_slice().unwrap(), [true, true, true, false]);
    }
}
