//! The page-locked memory of an array, with the device copies in flight that access it.

use std::alloc::Layout;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cuda::{CudaError, PageLocked};
use crate::device::{Backend, Device};
use crate::error::{DeviceName, GraphError, Result};
use crate::hazards::{MemoryAccess, StreamRef};
use crate::memory::{Contents, Memory, no_room, out_of_memory};
use crate::stream::Stream;
use crate::stream::event::Event;
use crate::sync::{Mutex, MutexGuard};
use crate::types::{DeviceType, make_valid};
use cumbia_kernel_sync::event;

/// The memory of a [`PinnedArray`](super::PinnedArray), with the device copies that access it.
pub(crate) struct PinnedMemory {
    backing: Backing,
    pub(super) device: Device,
    copies: Mutex<Copies>,
    /// Converts the bits that a device wrote to valid values; `None` if all bit patterns are valid.
    make_elements_valid: Option<unsafe fn(*mut u8, Range<usize>)>,
}

/// Converts the elements in a byte range to valid values of their type, whatever their bits are.
///
/// # Safety
///
/// The range consists of whole elements inside of the memory at `start`, all bytes are initialised, and nothing else
/// accesses them.
unsafe fn make_elements_valid<T: DeviceType>(start: *mut u8, bytes: Range<usize>) {
    // SAFETY: upheld by the caller.
    unsafe { make_valid(start.add(bytes.start).cast::<T>(), bytes.len() / size_of::<T>().max(1)) };
}

/// The allocator of the memory.
enum Backing {
    /// Ordinary memory of the CPU device.
    Ordinary(Memory),
    /// Page-locked memory of the CUDA driver.
    PageLocked(PageLocked),
}

/// The copies that access the memory.
#[derive(Default)]
struct Copies {
    in_flight: Vec<CopyInFlight>,
    /// The accesses of graphs that are being recorded.
    reserved: Vec<(GraphId, MemoryAccess)>,
}

/// A device copy that is in flight, or was when it was last checked.
struct CopyInFlight {
    completion: Completion,
    /// The access to the host memory.
    access: MemoryAccess,
}

/// The completion of a copy.
enum Completion {
    /// Complete when the event is reached.
    Event(Event),
    /// Complete when all work of the stream is: the driver could not create an event.
    Stream(Stream),
}

impl Completion {
    /// Waits for the copy, and reports no fault.
    fn wait(&self) -> Result<(), CudaError> {
        match self {
            Completion::Event(event) => event.wait(),
            Completion::Stream(stream) => match stream.stream_ref() {
                StreamRef::Cpu(_) => Ok(()),
                StreamRef::Cuda(stream) => stream.wait(),
            },
        }
    }

    /// Returns the pending fault of a kernel before the copy, if any, and clears it. Call it after waiting.
    fn take_fault(&self) -> Result<()> {
        match self {
            Completion::Event(event) => event.take_fault(),
            Completion::Stream(stream) => stream.stream_ref().take_fault(),
        }
    }

    fn is_done(&self) -> Result<bool> {
        match self {
            Completion::Event(event) => event.is_done(),
            Completion::Stream(stream) => stream.is_done(),
        }
    }

    /// Makes later work of `stream` wait for the copy.
    fn order_before(&self, stream: &Stream) -> Result<()> {
        match self {
            Completion::Event(event) => event.order_before(stream),
            Completion::Stream(_) => Ok(self.wait()?),
        }
    }
}

/// The number of tracked copies from which on completed ones are retired.
const RETIRE_THRESHOLD: usize = 32;

impl PinnedMemory {
    pub(super) fn allocate<T: DeviceType>(device: &Device, len: usize) -> Result<PinnedMemory> {
        let backing = match device.backend() {
            Backend::Cpu(_) => {
                Backing::Ordinary(Memory::allocate::<T>(&device.default_stream(), len, Contents::Zeros)?)
            }
            Backend::Cuda(context) => {
                let layout = Layout::array::<T>(len).map_err(|_| no_room::<T>(device.into(), len))?;
                let allocated = context.page_locked(layout).map_err(|error| {
                    if error.is_out_of_memory() {
                        out_of_memory(DeviceName::PageLocked, layout.size())
                    } else {
                        error.into()
                    }
                });
                Backing::PageLocked(allocated?)
            }
        };
        let make_elements_valid: Option<unsafe fn(*mut u8, Range<usize>)> =
            if T::ANY_BITS { None } else { Some(make_elements_valid::<T>) };
        let memory = PinnedMemory { backing, device: device.clone(), copies: Mutex::default(), make_elements_valid };
        if let Some(make_elements_valid) = make_elements_valid {
            // SAFETY: all bytes are initialised to zero, and the memory is not shared yet.
            unsafe { make_elements_valid(memory.pointer(), 0..len * size_of::<T>()) };
        }
        Ok(memory)
    }

    fn pointer(&self) -> *mut u8 {
        match &self.backing {
            Backing::Ordinary(memory) => memory.pointer(),
            Backing::PageLocked(memory) => memory.pointer(),
        }
    }

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock()
    }

    /// Returns whether copies of a GPU can access the memory asynchronously.
    pub(crate) fn is_page_locked(&self) -> bool {
        matches!(self.backing, Backing::PageLocked(_))
    }

    /// Returns the device address of a byte, which equals its host address (CUDA Driver API, "Unified Addressing").
    pub(crate) fn address(&self, byte: usize) -> u64 {
        (self.pointer().expose_provenance() + byte) as u64
    }

    /// Enqueues a copy on `stream` that reads these bytes: `start` receives their address.
    pub(crate) fn enqueue_read(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*const u8) -> Result<()>,
    ) -> Result<()> {
        self.enqueue_copy(stream, MemoryAccess { bytes, writes: false }, |address| start(address))
    }

    /// Enqueues a copy on `stream` that writes these bytes: `start` receives their address.
    pub(crate) fn enqueue_write(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<()> {
        self.enqueue_copy(stream, MemoryAccess { bytes, writes: true }, start)
    }

    fn enqueue_copy(
        &self,
        stream: &Stream,
        access: MemoryAccess,
        start: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<()> {
        let mut copies = self.copies();
        copies.check_unreserved(&access, None)?;
        self.resolve_hazards(&mut copies, stream, &access)?;
        let started = start(self.pointer().wrapping_add(access.bytes.start));
        // Even if it failed: the copy may have been enqueued before the error.
        copies.record(stream, access);
        started
    }

    /// Resolves the hazards between the next copy on `stream` and the copies in flight.
    fn resolve_hazards(&self, copies: &mut Copies, stream: &Stream, access: &MemoryAccess) -> Result<()> {
        if copies.in_flight.len() >= RETIRE_THRESHOLD {
            self.retire_completed(copies);
        }
        if access.writes && self.make_elements_valid.is_some() {
            // The host converts the bits of an earlier copy to valid values, which must not race with another write.
            self.wait_for(copies, access, |_| {})?;
        }
        copies
            .in_flight
            .iter()
            .filter(|copying| copying.access.conflicts(access))
            .try_for_each(|it| it.completion.order_before(stream))
    }

    /// Returns the address of the first of these bytes, once no copy in flight conflicts with an access of the host.
    ///
    /// # Errors
    ///
    /// The driver error of a copy, [`GraphError::HostCopyPlanned`], or the fault of a kernel before a copy that was
    /// waited for; that copy is retired nevertheless.
    pub(crate) fn host_access(&self, bytes: &Range<usize>, writes: bool) -> Result<*mut u8> {
        let access = MemoryAccess { bytes: bytes.clone(), writes };
        let mut copies = self.copies();
        copies.check_unreserved(&access, None)?;
        let mut waited = Vec::new();
        self.wait_for(&mut copies, &access, |completion| waited.push(completion))?;
        drop(copies);
        waited.iter().try_for_each(Completion::take_fault)?;
        Ok(self.pointer().wrapping_add(bytes.start))
    }

    /// Waits for the conflicting copies, and retires them.
    fn wait_for(&self, copies: &mut Copies, access: &MemoryAccess, mut waited: impl FnMut(Completion)) -> Result<()> {
        while let Some(i) = copies.in_flight.iter().position(|copying| copying.access.conflicts(access)) {
            copies.in_flight[i].completion.wait()?;
            waited(self.retire(copies, i));
        }
        Ok(())
    }

    fn retire_completed(&self, copies: &mut Copies) {
        for i in (0..copies.in_flight.len()).rev() {
            if copies.in_flight[i].completion.is_done().unwrap_or(false) {
                self.retire(copies, i);
            }
        }
    }

    /// Retires a completed copy. What it wrote is converted to valid values before any reference to it can exist.
    fn retire(&self, copies: &mut Copies, i: usize) -> Completion {
        let CopyInFlight { completion, access: MemoryAccess { bytes, writes } } = copies.in_flight.swap_remove(i);
        if let (true, Some(make_elements_valid)) = (writes, self.make_elements_valid) {
            // SAFETY: the range is in bounds and consists of whole elements, as all ranges do. The copy has completed,
            // no other copy writes there (`enqueue_copy` has waited), and the host reaches the elements only through
            // `wait_for`, which calls this.
            unsafe { make_elements_valid(self.pointer(), bytes) };
        }
        completion
    }
}

impl Copies {
    /// Fails if an access conflicts with a copy of a graph that is being recorded, except for the graph `of` itself.
    fn check_unreserved(&self, access: &MemoryAccess, of: Option<GraphId>) -> Result<(), GraphError> {
        let conflicts = |(graph, reserved): &(GraphId, MemoryAccess)| Some(*graph) != of && reserved.conflicts(access);
        if self.reserved.iter().any(conflicts) { Err(GraphError::HostCopyPlanned) } else { Ok(()) }
    }

    /// Records a copy that was enqueued on the stream last.
    fn record(&mut self, stream: &Stream, access: MemoryAccess) {
        let completion = stream.record().map_or_else(|_| Completion::Stream(stream.clone()), Completion::Event);
        self.in_flight.push(CopyInFlight { completion, access });
    }
}

/// The process-wide identity of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GraphId(u64);

impl GraphId {
    pub(crate) fn new() -> GraphId {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        GraphId(NEXT_ID.fetch_add(1, Ordering::Relaxed))
    }
}

/// A reservation of memory by a graph that is being recorded. Until the graph is launched, or this is dropped, nothing
/// else may access the bytes: a reference obtained during the recording could still be live when the copy executes.
pub(crate) struct Reservation {
    memory: Arc<PinnedMemory>,
    graph: GraphId,
    access: MemoryAccess,
}

impl Reservation {
    /// # Errors
    ///
    /// [`GraphError::HostCopyPlanned`] if another graph that is being recorded has reserved such bytes.
    pub(crate) fn new(
        memory: &Arc<PinnedMemory>,
        graph: GraphId,
        access: MemoryAccess,
    ) -> Result<Reservation, GraphError> {
        let mut copies = memory.copies();
        copies.check_unreserved(&access, Some(graph))?;
        copies.reserved.push((graph, access.clone()));
        Ok(Reservation { memory: memory.clone(), graph, access })
    }

    /// Returns whether the reservation is for this access.
    pub(crate) fn matches(&self, memory: &Arc<PinnedMemory>, access: &MemoryAccess) -> bool {
        Arc::ptr_eq(&self.memory, memory) && self.access == *access
    }

    /// Resolves the hazards between the graph, which is enqueued on `stream` next, and the copies in flight.
    pub(crate) fn resolve_hazards(&self, stream: &Stream) -> Result<()> {
        self.memory.resolve_hazards(&mut self.memory.copies(), stream, &self.access)
    }

    /// Records that the graph was enqueued on the stream.
    pub(crate) fn commit(self, stream: &Stream) {
        self.memory.copies().record(stream, self.access.clone());
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut copies = self.memory.copies();
        if let Some(i) =
            copies.reserved.iter().position(|(graph, access)| *graph == self.graph && *access == self.access)
        {
            copies.reserved.swap_remove(i);
        }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let mut may_be_used = false;
        for CopyInFlight { completion, access: _ } in &self.copies.get_mut().in_flight {
            if let Err(error) = completion.wait() {
                may_be_used = true;
                if let Backend::Cuda(context) = self.device.backend() {
                    context.primary().note_drop_error(error);
                }
            }
        }
        if let (true, Backing::PageLocked(memory)) = (may_be_used, &mut self.backing) {
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
        for round in 0..2 * RETIRE_THRESHOLD {
            let bytes = round % 3..round % 3 + 1;
            buffer
                .memory()
                .enqueue_write(&device.default_stream(), bytes.clone(), |address| {
                    // SAFETY: the address is that of a byte of the buffer, which is not shared.
                    unsafe { address.write(0xff) };
                    Ok(())
                })
                .unwrap();
            if round % 5 == 0 {
                assert!(buffer.slice(bytes).unwrap().as_slice().unwrap()[0]);
            }
        }
        assert!(buffer.memory().copies().in_flight.len() <= RETIRE_THRESHOLD);
        // The byte of `true` is 1: the comparison compares bytes.
        assert_eq!(buffer.as_mut_slice().unwrap(), [true, true, true, false]);
    }
}
