//! A stream of a GPU: a work queue with the fault record and the print buffers of its kernels.
//!
//! A stream numbers those of its operations that another stream may depend on. While other streams do wait for it, an
//! event is recorded after each of the most recent operations, so that the waiting stream depends on that operation and
//! not on work enqueued after it. A stream that no other stream has waited for recently records no events: a wait then
//! covers everything enqueued so far, and events are recorded again from there on. `hazards.rs` decides which
//! operations depend on which.
//!
//! Streams created here are never destroyed: a stream without holders is reused once its work has completed and its
//! faults have been reported. Hence no reference outlives its stream, and a fault that was never waited for is not
//! lost.

#[cfg(feature = "cudarc")]
use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cudarc::driver::sys::{CUevent, CUstream};

use super::driver::Driver;
use super::fault::FaultRecord;
use super::primary::Primary;
use super::print::Prints;
use super::refusal::{NOT_READY, Refusal};
use crate::error::Error;
use crate::fault;
use crate::sync::Mutex;

/// `CU_STREAM_NON_BLOCKING`: the stream does not synchronise with the legacy default stream of other libraries.
const NON_BLOCKING: u32 = 1;

/// `CU_EVENT_DISABLE_TIMING`: omits the timestamp, which makes the event cheaper.
pub(super) const DISABLE_TIMING: u32 = 2;

/// The number of most recent operations whose events are kept, and of operations that get an event after a wait.
const EVENTS: usize = 64;

/// The number of other streams whose waits are remembered. Forgetting one costs a redundant wait.
const REMEMBERED: usize = 64;

/// The creation options of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Kind {
    /// The stream synchronises with the legacy default stream.
    pub(crate) blocking: bool,
    /// The priority: lower numbers are scheduled first.
    pub(crate) priority: i32,
}

/// A stream of a GPU.
pub(crate) struct Stream {
    primary: Arc<Primary>,
    raw: CUstream,
    /// A process-wide identity, unique across GPUs.
    number: u64,
    origin: Origin,
    /// The number of holders. A stream without holders may be reused.
    held: AtomicU32,
    /// The number of times the stream has been reused.
    tenancy: AtomicU64,
    fault: FaultRecord,
    prints: Prints,
    marks: Mutex<Marks>,
    seen: Mutex<Seen>,
}

/// The creator of a stream.
enum Origin {
    /// Created here.
    Own(Kind),
    /// Created by another library, which destroys it once this owner is dropped.
    #[cfg(feature = "cudarc")]
    Foreign(Box<dyn Any + Send + Sync>),
}

// SAFETY: the handles may be used from any thread; each method first makes the context current to its thread.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver's functions are thread-safe, and our own state is behind locks.
unsafe impl Sync for Stream {}

impl Stream {
    /// Creates a stream in the current context.
    pub(super) fn create(primary: &Arc<Primary>, kind: Kind) -> Result<Stream, Refusal> {
        let flags = if kind.blocking { 0 } else { NON_BLOCKING };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write, and the context is current.
        unsafe { primary.driver.cuStreamCreateWithPriority(&raw mut raw, flags, kind.priority) }?;
        match FaultRecord::new(primary.driver) {
            Ok(fault) => Ok(Stream::new(primary, raw, Origin::Own(kind), fault)),
            Err(refusal) => {
                // The first error is the informative one.
                // SAFETY: created just above, and not shared.
                let _ = unsafe { primary.driver.cuStreamDestroy_v2(raw) };
                Err(refusal)
            }
        }
    }

    /// Wraps a stream of another library, which `owner` keeps alive. The context is current.
    #[cfg(feature = "cudarc")]
    pub(super) fn foreign(
        primary: &Arc<Primary>,
        raw: CUstream,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Stream, Refusal> {
        Ok(Stream::new(primary, raw, Origin::Foreign(owner), FaultRecord::new(primary.driver)?))
    }

    fn new(primary: &Arc<Primary>, raw: CUstream, origin: Origin, fault: FaultRecord) -> Stream {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        Stream {
            primary: primary.clone(),
            raw,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            origin,
            held: AtomicU32::new(1),
            tenancy: AtomicU64::new(0),
            fault,
            prints: Prints::default(),
            marks: Mutex::default(),
            seen: Mutex::default(),
        }
    }

    /// Returns the context of the stream.
    pub(crate) fn primary(&self) -> &Primary {
        &self.primary
    }

    /// Returns a shared handle to the context.
    pub(super) fn shared_primary(&self) -> Arc<Primary> {
        self.primary.clone()
    }

    /// Returns the driver's function table.
    pub(super) fn driver(&self) -> &'static Driver {
        self.primary.driver
    }

    /// Returns the driver's stream handle.
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    /// Returns the device address of the fault record, for the `fault` member of a kernel's `struct Launch`.
    #[inline]
    pub(crate) fn fault_pointer(&self) -> u64 {
        self.fault.device_pointer()
    }

    /// Launches a kernel that prints: `launch` receives the address for the `print` member of a kernel's `struct
    /// Launch`.
    pub(crate) fn launch_printing(&self, launch: impl FnOnce(u64) -> Result<(), Refusal>) -> Result<(), Refusal> {
        self.primary.bind()?;
        self.prints.launch(self.driver(), launch)
    }

    /// Waits until all work enqueued on the stream has completed, flushes the print buffers, and reports the pending
    /// fault.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`], once for each fault, or a CUDA driver error.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        self.wait_and_print()?;
        self.give_out_fault()
    }

    /// Waits until all work enqueued on the stream has completed, and flushes the print buffers.
    pub(crate) fn wait_and_print(&self) -> Result<(), Refusal> {
        let done = self.wait();
        // Even if the context is lost: earlier output may explain why.
        self.write_out_prints();
        done
    }

    /// Returns the pending fault of a completed kernel, if any, as an error and clears it.
    pub(crate) fn give_out_fault(&self) -> Result<(), Error> {
        match self.primary.while_open(|| self.fault.take(|| self.wait())).transpose()?.flatten() {
            None => Ok(()),
            Some(raw) => Err(fault::resolve(raw)),
        }
    }

    /// Waits until all work enqueued on the stream has completed.
    pub(crate) fn wait(&self) -> Result<(), Refusal> {
        self.primary.bind()?;
        // SAFETY: the stream is alive as long as this object.
        unsafe { self.driver().cuStreamSynchronize(self.raw) }
    }

    /// Returns whether all work enqueued on the stream has completed.
    pub(crate) fn is_done(&self) -> Result<bool, Refusal> {
        self.primary.bind()?;
        // SAFETY: the stream is alive as long as this object.
        done(unsafe { self.driver().cuStreamQuery(self.raw) })
    }

    /// Returns whether more than one stream exists. See `hazards.rs`.
    #[inline]
    pub(crate) fn has_company(&self) -> bool {
        self.primary.has_several_streams()
    }

    /// Assigns a sequence number to the operation that was enqueued last.
    pub(crate) fn mark(&self) -> Result<u64, Refusal> {
        // The number is assigned and the event recorded under the lock, so that larger numbers are later in the stream.
        let mut marks = self.marks.lock();
        let number = marks.last + 1;
        if marks.watched > 0 {
            self.primary.bind()?;
            self.record_mark(&mut marks, number)?;
            marks.watched -= 1;
        }
        marks.last = number;
        Ok(number)
    }

    /// Records an event after all work enqueued so far, for the operation `number`. The context is current.
    fn record_mark(&self, marks: &mut Marks, number: u64) -> Result<CUevent, Refusal> {
        // Streams that wait for the oldest event have captured it already, so it can be recorded anew.
        let oldest = if marks.events.len() < EVENTS { None } else { marks.events.pop_front() };
        let event = oldest.map_or_else(|| new_event(self.driver(), DISABLE_TIMING), |(_, event)| Ok(event))?;
        // SAFETY: the event is alive, and both are of this context, which is current.
        if let Err(refusal) = unsafe { self.driver().cuEventRecord(event, self.raw) } {
            // The event keeps its previous recording, which no longer corresponds to any number.
            marks.events.push_front((0, event));
            return Err(refusal);
        }
        marks.events.push_back((number, event));
        Ok(event)
    }

    /// Makes all later work of this stream wait for operation `mark` of another stream, which may be of another GPU.
    pub(crate) fn wait_for(&self, other: &Stream, mark: u64) -> Result<(), Refusal> {
        if self == other {
            return Ok(());
        }
        // Under the lock, so that another thread finds a number here only once the wait has been enqueued.
        let mut seen = self.seen.lock();
        if seen.has(other.number, mark) {
            return Ok(());
        }
        let mut marks = other.marks.lock();
        marks.watched = EVENTS;
        let (event, covered) = if let Some(found) = marks.not_before(mark) {
            found
        } else {
            other.primary.bind()?;
            let last = marks.last;
            (other.record_mark(&mut marks, last)?, last)
        };
        self.primary.bind()?;
        // SAFETY: both are alive. The stream waits for the recording that the event holds at the time of the call (CUDA
        // Driver API, `cuStreamWaitEvent`), and the lock prevents it from being recorded anew until then.
        unsafe { self.driver().cuStreamWaitEvent(self.raw, event, 0) }?;
        seen.note(other.number, covered);
        Ok(())
    }

    /// Like [`Stream::wait_for`], for an event.
    ///
    /// # Safety
    ///
    /// The event is alive.
    pub(super) unsafe fn wait_for_event(&self, event: CUevent) -> Result<(), Refusal> {
        self.primary.bind()?;
        // SAFETY: the stream is alive, and so is the event.
        unsafe { self.driver().cuStreamWaitEvent(self.raw, event, 0) }
    }

    /// Returns whether both streams belong to the same GPU.
    pub(crate) fn is_beside(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.primary, &other.primary)
    }

    /// Returns whether another library created the stream.
    #[cfg(feature = "cudarc")]
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self.origin, Origin::Foreign(_))
    }

    /// Returns the owner of a stream that another library created.
    #[cfg(feature = "cudarc")]
    pub(super) fn owner(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.origin {
            Origin::Own(_) => None,
            Origin::Foreign(owner) => Some(&**owner),
        }
    }

    /// Returns whether the stream has holders.
    pub(super) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire) > 0
    }

    /// Waits for kernels that print, if there are any, and writes their output to the standard output. May block on the
    /// lock of the standard output, so the caller must hold no lock.
    pub(super) fn write_out_prints(&self) {
        self.primary.while_open(|| self.prints.read(|| self.wait()));
        self.prints.write_out();
    }

    /// Returns whether all work has completed and no fault is pending.
    pub(super) fn is_idle(&self) -> Result<bool, Refusal> {
        // The record is checked last: a kernel that was in flight may have filled it.
        Ok(self.is_done()? && self.primary.while_open(|| !self.fault.is_set()).unwrap_or(false))
    }

    /// Frees the host memory that the stream's kernels write.
    ///
    /// # Safety
    ///
    /// No kernel of the stream is in flight or will be launched, and nothing else accesses that memory.
    pub(super) unsafe fn free_host_memory(&self) -> Result<(), Refusal> {
        // SAFETY: upheld by the caller.
        unsafe { self.fault.free(self.driver()).and(self.prints.free(self.driver())) }
    }

    /// Acquires the stream for a new holder if it has the same options, no holder, no work in flight and no pending
    /// fault. Output of earlier kernels remains to be flushed. Returns whether the stream was acquired.
    pub(super) fn hold_again(&self, kind: Kind) -> Result<bool, Refusal> {
        let is_of_kind = match self.origin {
            Origin::Own(own) => own == kind,
            #[cfg(feature = "cudarc")]
            Origin::Foreign(_) => false,
        };
        if !is_of_kind || self.is_held() || !self.is_idle()? {
            return Ok(false);
        }
        let is_free = self.held.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if is_free {
            self.tenancy.fetch_add(1, Ordering::AcqRel);
        }
        Ok(is_free)
    }

    /// Returns the number of times the stream has been reused.
    pub(crate) fn tenancy(&self) -> u64 {
        self.tenancy.load(Ordering::Acquire)
    }

    /// Adds a holder to a stream that is held already.
    #[cfg(feature = "cudarc")]
    pub(super) fn hold(&self) {
        self.held.fetch_add(1, Ordering::AcqRel);
    }

    /// Removes a holder. Enqueued work continues.
    pub(crate) fn let_go(&self) {
        self.held.fetch_sub(1, Ordering::AcqRel);
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.number == other.number
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("number", &self.number).field("on", &self.primary.label).finish_non_exhaustive()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Our own streams stay with the context, so this is a stream of another library, or one that was never
        // published. Its kernels may write the fault record until they have completed.
        let primary = self.shared_primary();
        primary.while_open(|| self.end());
    }
}

impl Stream {
    /// Waits for the stream, and releases its resources.
    fn end(&mut self) {
        if let Err(refusal) = self.wait() {
            self.primary.note_dropped(refusal);
            return;
        }
        for (_, event) in std::mem::take(&mut self.marks.get_mut().events) {
            // SAFETY: the event is ours, and streams that wait for it have captured it already.
            if let Err(refusal) = unsafe { self.driver().cuEventDestroy_v2(event) } {
                self.primary.note_dropped(refusal);
            }
        }
        // SAFETY: the stream is idle, and its record and buffers are not shared.
        let freed = unsafe { self.free_host_memory() };
        let destroyed = match self.origin {
            // SAFETY: created here, and not shared.
            Origin::Own(_) => unsafe { self.driver().cuStreamDestroy_v2(self.raw) },
            #[cfg(feature = "cudarc")]
            Origin::Foreign(_) => Ok(()),
        };
        if let Err(refusal) = freed.and(destroyed) {
            self.primary.note_dropped(refusal);
        }
    }
}

/// The sequence numbers and the events of a stream's operations.
struct Marks {
    /// The sequence number of the last operation; the first is 1.
    last: u64,
    /// The number of next operations that get an event. Reset whenever another stream waits for this one.
    watched: usize,
    /// The operations that have an event, in order. An event with sequence number 0 covers none of them.
    events: VecDeque<(u64, CUevent)>,
}

impl Default for Marks {
    fn default() -> Self {
        // Assume that a new stream will be waited for.
        Marks { last: 0, watched: EVENTS, events: VecDeque::new() }
    }
}

impl Marks {
    /// Returns the oldest event that covers operation `mark`, and its sequence number.
    fn not_before(&self, mark: u64) -> Option<(CUevent, u64)> {
        self.events.iter().find(|(number, _)| *number >= mark.max(1)).map(|&(number, event)| (event, number))
    }
}

/// The waits that a stream has enqueued: per other stream, the last sequence number covered.
#[derive(Default)]
struct Seen {
    /// In the order of the waits, the most recent last.
    of: Vec<(u64, u64)>,
}

impl Seen {
    fn has(&self, stream: u64, mark: u64) -> bool {
        self.of.iter().any(|&(other, last)| other == stream && last >= mark)
    }

    fn note(&mut self, stream: u64, mark: u64) {
        self.of.retain(|&(other, _)| other != stream);
        if self.of.len() == REMEMBERED {
            self.of.remove(0);
        }
        self.of.push((stream, mark));
    }
}

/// Creates an event in the current context.
pub(super) fn new_event(driver: &Driver, flags: u32) -> Result<CUevent, Refusal> {
    let mut event = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuEventCreate(&raw mut event, flags) }?;
    Ok(event)
}

/// Maps the status of a query: `CUDA_ERROR_NOT_READY` is `Ok(false)`.
pub(super) fn done(answer: Result<(), Refusal>) -> Result<bool, Refusal> {
    match answer {
        Ok(()) => Ok(true),
        Err(Refusal { code: NOT_READY, .. }) => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_covering_event_is_chosen() {
        let event = |number: u64| std::ptr::without_provenance_mut(number as usize);
        let events = [0, 3, 4, 9].map(|number| (number, event(number)));
        let marks = Marks { last: 12, watched: 0, events: events.into() };
        for (mark, expected) in [(0, Some(3)), (1, Some(3)), (3, Some(3)), (4, Some(4)), (5, Some(9)), (10, None)] {
            assert_eq!(marks.not_before(mark), expected.map(|number| (event(number), number)), "{mark}");
        }
        assert_eq!(Marks::default().not_before(0), None);
    }

    #[test]
    fn redundant_waits_are_detected() {
        let mut seen = Seen::default();
        assert!(!seen.has(7, 1));
        seen.note(7, 5);
        assert!(seen.has(7, 5) && seen.has(7, 1) && !seen.has(7, 6) && !seen.has(8, 1));
        for other in 100..100 + REMEMBERED as u64 - 1 {
            seen.note(other, 1);
        }
        assert!(seen.has(7, 5));
        seen.note(1000, 1);
        assert!(!seen.has(7, 5) && seen.has(1000, 1) && seen.of.len() == REMEMBERED);
    }
}
