//! A stream of a GPU: a work queue with the fault record and the print buffers of its kernels.
//!
//! A stream numbers those of its operations that another stream may depend on. While other streams do wait for it, an
//! event is recorded after each of the most recent operations, so that the waiting stream depends on that operation and
//! not on work enqueued after it. A stream that no other stream has waited for recently records no events: a wait then
//! covers everything enqueued so far, and events are recorded again from there on. `hazards/` decides which
//! operations depend on which.
//!
//! Streams created here are never destroyed: a stream without holders is reused once its work has completed and its
//! faults have been reported. Hence no reference outlives its stream, and a fault that was never waited for is not
//! lost.

mod callback;
mod event;
mod memory;

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::sys::{CUevent, CUstream};

use crate::driver::Driver;
use crate::error::{CudaError, NOT_READY};
use crate::primary_context::PrimaryContext;
use crate::records::{FaultRecord, RawFault};
use crate::records::{PrintBuffers, Prints};
use crate::sync::Mutex;
use callback::PendingPanic;

pub use callback::run as run_callback;
pub use event::Event;
pub(crate) use memory::pool_of;

/// `CU_STREAM_NON_BLOCKING`: the stream does not synchronise with the legacy default stream of other libraries.
const NON_BLOCKING: u32 = 1;

/// `CU_EVENT_DISABLE_TIMING`: omits the timestamp, which makes the event cheaper.
const DISABLE_TIMING: u32 = 2;

/// The number of most recent operations whose events are kept, and of operations that get an event after a wait.
const MAX_EVENTS: usize = 64;

/// The number of other streams whose waits are remembered. Forgetting one costs a redundant wait.
const MAX_WAITED_FOR: usize = 64;

/// The creation options of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StreamOptions {
    /// The stream synchronises with the legacy default stream.
    pub blocking: bool,
    /// The priority: lower numbers are scheduled first.
    pub priority: i32,
}

/// A stream of a GPU.
pub struct Stream {
    primary: Arc<PrimaryContext>,
    raw: CUstream,
    /// A process-wide identity, unique across GPUs.
    id: u64,
    origin: Origin,
    /// The number of holders. A stream without holders may be reused.
    holders: AtomicU32,
    /// The number of times the stream has been reused.
    generation: AtomicU64,
    /// See [`Stream::ownership_key`].
    ownership_key: AtomicU64,
    /// The last stream epoch that the stream was admitted to: see `Context::admit`.
    admitted: AtomicU64,
    fault: FaultRecord,
    prints: PrintBuffers,
    /// Shared with the host functions that are enqueued.
    panic: Arc<PendingPanic>,
    sequences: Mutex<SequenceEvents>,
    waited_for: Mutex<WaitedFor>,
}

/// Returns a key that no stream has had: see [`Stream::ownership_key`].
fn new_ownership_key() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(2);
    NEXT.fetch_add(2, Ordering::Relaxed)
}

/// The creator of a stream.
enum Origin {
    /// Created here.
    Own(StreamOptions),
    /// Created by another library, which destroys it once this owner is dropped.
    Foreign(Box<dyn Any + Send + Sync>),
}

// SAFETY: the handles may be used from any thread; each method first makes the context current to its thread.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver's functions are thread-safe, and our own state is behind locks.
unsafe impl Sync for Stream {}

impl Stream {
    /// Creates a stream in the current context.
    pub(crate) fn create(primary: &Arc<PrimaryContext>, options: StreamOptions) -> Result<Stream, CudaError> {
        let flags = if options.blocking { 0 } else { NON_BLOCKING };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write, and the context is current.
        unsafe { primary.driver.cuStreamCreateWithPriority(&raw mut raw, flags, options.priority) }?;
        match FaultRecord::new(primary.driver) {
            Ok(fault) => Ok(Stream::new(primary, raw, Origin::Own(options), fault)),
            Err(error) => {
                // The first error is the informative one.
                // SAFETY: created just above, and not shared.
                let _ = unsafe { primary.driver.cuStreamDestroy_v2(raw) };
                Err(error)
            }
        }
    }

    /// Wraps a stream of another library, which `owner` keeps alive. The context is current.
    pub(crate) fn foreign(
        primary: &Arc<PrimaryContext>,
        raw: CUstream,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Stream, CudaError> {
        Ok(Stream::new(primary, raw, Origin::Foreign(owner), FaultRecord::new(primary.driver)?))
    }

    fn new(primary: &Arc<PrimaryContext>, raw: CUstream, origin: Origin, fault: FaultRecord) -> Stream {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Stream {
            primary: primary.clone(),
            raw,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            origin,
            holders: AtomicU32::new(1),
            generation: AtomicU64::new(0),
            ownership_key: AtomicU64::new(new_ownership_key()),
            admitted: AtomicU64::new(0),
            fault,
            prints: PrintBuffers::default(),
            panic: Arc::default(),
            sequences: Mutex::default(),
            waited_for: Mutex::default(),
        }
    }

    /// Returns the context of the stream.
    #[inline]
    pub fn primary(&self) -> &PrimaryContext {
        &self.primary
    }

    /// Returns a shared handle to the context.
    pub(crate) fn shared_primary(&self) -> Arc<PrimaryContext> {
        self.primary.clone()
    }

    /// Returns the driver's function table.
    #[inline]
    pub(crate) fn driver(&self) -> &'static Driver {
        self.primary.driver
    }

    /// Returns the driver's stream handle.
    #[inline]
    pub fn raw(&self) -> CUstream {
        self.raw
    }

    /// Returns the device address of the fault record, for
    /// [`LaunchParameter::fault`](crate::LaunchParameter::fault). It lives as long as the stream.
    #[inline]
    pub fn fault_pointer(&self) -> u64 {
        self.fault.device_pointer()
    }

    /// Launches a kernel that prints: `launch` receives the device address of the print buffer, for
    /// [`LaunchParameter::print`](crate::LaunchParameter::print). The buffer is read once the work that the stream has
    /// then is complete, so the kernel has to be enqueued on this stream, and by this call.
    pub fn launch_printing(&self, launch: impl FnOnce(u64) -> Result<(), CudaError>) -> Result<(), CudaError> {
        self.primary.bind()?;
        self.prints.launch(self.driver(), launch)
    }

    /// Returns the pending fault of a completed kernel, if any, and clears it.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn take_fault(&self) -> Result<Option<RawFault>, CudaError> {
        Ok(self.primary.while_open(|| self.fault.take(|| self.wait())).transpose()?.flatten())
    }

    /// Waits until all work enqueued on the stream has completed.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.primary.bind()?;
        // SAFETY: the stream is alive as long as this object.
        unsafe { self.driver().cuStreamSynchronize(self.raw) }
    }

    /// Returns whether all work enqueued on the stream has completed.
    pub fn is_done(&self) -> Result<bool, CudaError> {
        self.primary.bind()?;
        // SAFETY: the stream is alive as long as this object.
        query_status(unsafe { self.driver().cuStreamQuery(self.raw) })
    }

    /// Returns whether streams besides the default one are in use. See `hazards/mod.rs`.
    #[inline]
    pub fn is_multi_stream(&self) -> bool {
        self.primary.is_multi_stream()
    }

    /// Assigns a sequence number to the operation that was enqueued last.
    pub fn sequence_last_operation(&self) -> Result<u64, CudaError> {
        // The number is assigned and the event recorded under the lock, so that larger numbers are later in the stream.
        let mut sequences = self.sequences.lock();
        let number = sequences.last + 1;
        if sequences.events_due > 0 {
            self.primary.bind()?;
            self.record_sequence(&mut sequences, number)?;
            sequences.events_due -= 1;
        }
        sequences.last = number;
        Ok(number)
    }

    /// Records an event after all work enqueued so far, for the operation `number`. The context is current.
    fn record_sequence(&self, sequences: &mut SequenceEvents, number: u64) -> Result<CUevent, CudaError> {
        // Streams that wait for the oldest event have captured it already, so it can be recorded anew.
        let oldest = if sequences.events.len() < MAX_EVENTS { None } else { sequences.events.pop_front() };
        let event = oldest.map_or_else(|| new_event(self.driver(), DISABLE_TIMING), |(_, event)| Ok(event))?;
        // SAFETY: the event is alive, and both are of this context, which is current.
        if let Err(error) = unsafe { self.driver().cuEventRecord(event, self.raw) } {
            // The event keeps its previous recording, which no longer corresponds to any number.
            sequences.events.push_front((0, event));
            return Err(error);
        }
        sequences.events.push_back((number, event));
        Ok(event)
    }

    /// Makes all later work of this stream wait for operation `sequence` of another stream, which may be of another GPU.
    pub fn wait_for(&self, other: &Stream, sequence: u64) -> Result<(), CudaError> {
        if self == other {
            return Ok(());
        }
        // Under the lock, so that another thread finds a number here only once the wait has been enqueued.
        let mut waited_for = self.waited_for.lock();
        if waited_for.covers(other.id, sequence) {
            return Ok(());
        }
        let mut sequences = other.sequences.lock();
        sequences.events_due = MAX_EVENTS;
        let (event, covered) = if let Some(found) = sequences.covering(sequence) {
            found
        } else {
            other.primary.bind()?;
            let last = sequences.last;
            (other.record_sequence(&mut sequences, last)?, last)
        };
        self.primary.bind()?;
        // SAFETY: both are alive. The stream waits for the recording that the event holds at the time of the call (CUDA
        // Driver API, `cuStreamWaitEvent`), and the lock prevents it from being recorded anew until then.
        unsafe { self.driver().cuStreamWaitEvent(self.raw, event, 0) }?;
        waited_for.record(other.id, covered);
        Ok(())
    }

    /// Like [`Stream::wait_for`], for an event.
    ///
    /// # Safety
    ///
    /// The event is alive.
    pub(crate) unsafe fn wait_for_event(&self, event: CUevent) -> Result<(), CudaError> {
        self.primary.bind()?;
        // SAFETY: the stream is alive, and so is the event.
        unsafe { self.driver().cuStreamWaitEvent(self.raw, event, 0) }
    }

    /// Makes later work of the stream `after` wait for all work enqueued so far on `before`. One of them may be this
    /// stream, the others are those of other libraries.
    ///
    /// # Safety
    ///
    /// Both are alive and belong to the context of this stream.
    pub unsafe fn add_dependency(&self, after: CUstream, before: CUstream) -> Result<(), CudaError> {
        self.primary.bind()?;
        let driver = self.driver();
        let event = new_event(driver, DISABLE_TIMING)?;
        // SAFETY: the event is alive, and the context current; the rest is upheld by the caller.
        let done =
            unsafe { driver.cuEventRecord(event, before).and_then(|()| driver.cuStreamWaitEvent(after, event, 0)) };
        // SAFETY: the event is ours. Streams that wait for it keep doing so (CUDA Driver API, `cuEventDestroy`).
        let destroyed = unsafe { driver.cuEventDestroy_v2(event) };
        done.and(destroyed)
    }

    /// Returns whether both streams belong to the same GPU.
    #[inline]
    pub fn is_on_same_gpu(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.primary, &other.primary)
    }

    /// Returns whether another library created the stream.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self.origin, Origin::Foreign(_))
    }

    /// Returns the owner of a stream that another library created.
    pub fn owner(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.origin {
            Origin::Own(_) => None,
            Origin::Foreign(owner) => Some(&**owner),
        }
    }

    /// Returns whether the stream has holders.
    pub fn is_held(&self) -> bool {
        self.holders.load(Ordering::Acquire) > 0
    }

    /// Adds a holder if the stream has holders already. Returns whether it has.
    pub fn try_hold(&self) -> bool {
        let held = |holders: u32| (holders > 0).then(|| holders + 1);
        self.holders.fetch_update(Ordering::AcqRel, Ordering::Acquire, held).is_ok()
    }

    /// Returns whether the stream was admitted to this epoch, and records that it is.
    pub(crate) fn note_admission(&self, epoch: u64) -> bool {
        self.admitted.swap(epoch, Ordering::AcqRel) == epoch
    }

    /// Waits for kernels that print, if there are any, and reads their output, for [`Stream::take_prints`].
    pub fn collect_prints(&self) {
        self.primary.while_open(|| self.prints.collect(|| self.wait()));
    }

    /// Returns whether there is output of kernels to take.
    pub fn has_prints(&self) -> bool {
        self.prints.has_output()
    }

    /// Takes the output of kernels that [`Stream::collect_prints`] has read.
    pub fn take_prints(&self) -> Prints {
        self.prints.take()
    }

    /// Returns whether all work has completed and no fault is pending.
    pub(crate) fn is_idle(&self) -> Result<bool, CudaError> {
        // The record is checked last: a kernel that was in flight may have filled it.
        Ok(self.is_done()? && self.primary.while_open(|| !self.fault.is_set()).unwrap_or(false) && !self.panic.is_set())
    }

    /// Returns whether all output of the stream's kernels has been written.
    pub(super) fn has_no_output(&self) -> bool {
        self.prints.is_empty()
    }

    /// Frees the host memory that the stream's kernels write.
    ///
    /// # Safety
    ///
    /// No kernel of the stream is in flight or will be launched, and nothing else accesses that memory.
    pub(crate) unsafe fn free_host_memory(&self) -> Result<(), CudaError> {
        // SAFETY: upheld by the caller.
        unsafe { self.fault.free(self.driver()).and(self.prints.free(self.driver())) }
    }

    /// Acquires the stream for a new holder if it has the same options, no holder, no work in flight and no pending
    /// fault. Output of earlier kernels remains to be flushed. Returns whether the stream was acquired.
    pub(crate) fn try_acquire(&self, options: StreamOptions) -> Result<bool, CudaError> {
        let has_options = match self.origin {
            Origin::Own(own) => own == options,
            Origin::Foreign(_) => false,
        };
        if !has_options || self.is_held() || !self.is_idle()? {
            return Ok(false);
        }
        // Before it has a holder, so that whoever then adds one (`try_hold`) notices the reuse.
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.ownership_key.store(new_ownership_key(), Ordering::Release);
        Ok(self.holders.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok())
    }

    /// Returns the identity of the stream in its current generation as the owner of allocations (see `hazards/mod.rs`): an even
    /// number, unique in the process and not 0.
    #[inline]
    pub fn ownership_key(&self) -> u64 {
        self.ownership_key.load(Ordering::Acquire)
    }

    /// Assigns a sequence number to everything that has been enqueued so far. Unlike
    /// [`Stream::sequence_last_operation`], it records no event: a stream that waits for the number records one.
    pub fn sequence_enqueued_work(&self) -> u64 {
        let mut sequences = self.sequences.lock();
        sequences.last += 1;
        sequences.last
    }

    /// Returns the number of times the stream has been reused.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Adds a holder to a stream that has holders already.
    pub(crate) fn add_holder(&self) {
        self.holders.fetch_add(1, Ordering::AcqRel);
    }

    /// Removes a holder. Enqueued work continues.
    ///
    /// # Safety
    ///
    /// The caller is a holder, by [`Context::stream`](crate::Context::stream) or
    /// [`Context::foreign_stream`](crate::Context::foreign_stream), and enqueues no more work as such: once the stream is
    /// idle, it may get another holder.
    pub unsafe fn release(&self) {
        self.holders.fetch_sub(1, Ordering::AcqRel);
    }
}

impl PartialEq for Stream {
    #[inline]
    fn eq(&self, other: &Stream) -> bool {
        self.id == other.id
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("id", &self.id).field("on", &self.primary.gpu).finish_non_exhaustive()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Our own streams stay with the context, so this is a stream of another library, or one that was never
        // published. Its kernels may write the fault record until they have completed.
        let primary = self.shared_primary();
        primary.while_open(|| self.destroy());
    }
}

impl Stream {
    /// Waits for the stream, and releases its resources.
    fn destroy(&mut self) {
        if let Err(error) = self.wait() {
            self.primary.note_drop_error(error);
            return;
        }
        for (_, event) in std::mem::take(&mut self.sequences.get_mut().events) {
            // SAFETY: the event is ours, and streams that wait for it have captured it already.
            if let Err(error) = unsafe { self.driver().cuEventDestroy_v2(event) } {
                self.primary.note_drop_error(error);
            }
        }
        // SAFETY: the stream is idle, and its record and buffers are not shared.
        let freed = unsafe { self.free_host_memory() };
        let destroyed = match self.origin {
            // SAFETY: created here, and not shared.
            Origin::Own(_) => unsafe { self.driver().cuStreamDestroy_v2(self.raw) },
            Origin::Foreign(_) => Ok(()),
        };
        if let Err(error) = freed.and(destroyed) {
            self.primary.note_drop_error(error);
        }
    }
}

/// The sequence numbers and the events of a stream's operations.
struct SequenceEvents {
    /// The sequence number of the last operation; the first is 1.
    last: u64,
    /// The number of next operations that get an event. Reset whenever another stream waits for this one.
    events_due: usize,
    /// The operations that have an event, in order. An event with sequence number 0 covers none of them.
    events: VecDeque<(u64, CUevent)>,
}

impl Default for SequenceEvents {
    fn default() -> Self {
        // Assume that a new stream will be waited for.
        SequenceEvents { last: 0, events_due: MAX_EVENTS, events: VecDeque::new() }
    }
}

impl SequenceEvents {
    /// Returns the oldest event that covers operation `sequence`, and its sequence number.
    fn covering(&self, sequence: u64) -> Option<(CUevent, u64)> {
        self.events.iter().find(|(number, _)| *number >= sequence.max(1)).map(|&(number, event)| (event, number))
    }
}

/// The waits that a stream has enqueued: per other stream, the last sequence number covered.
#[derive(Default)]
struct WaitedFor {
    /// In the order of the waits, the most recent last.
    of: Vec<(u64, u64)>,
}

impl WaitedFor {
    fn covers(&self, stream: u64, sequence: u64) -> bool {
        self.of.iter().any(|&(other, last)| other == stream && last >= sequence)
    }

    fn record(&mut self, stream: u64, sequence: u64) {
        self.of.retain(|&(other, _)| other != stream);
        if self.of.len() == MAX_WAITED_FOR {
            self.of.remove(0);
        }
        self.of.push((stream, sequence));
    }
}

/// Creates an event in the current context.
pub(crate) fn new_event(driver: &Driver, flags: u32) -> Result<CUevent, CudaError> {
    let mut event = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuEventCreate(&raw mut event, flags) }?;
    Ok(event)
}

/// Maps the status of a query: `CUDA_ERROR_NOT_READY` is `Ok(false)`.
pub(crate) fn query_status(answer: Result<(), CudaError>) -> Result<bool, CudaError> {
    match answer {
        Ok(()) => Ok(true),
        Err(CudaError { code: NOT_READY, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_covering_event_is_chosen() {
        let event = |number: u64| std::ptr::without_provenance_mut(number as usize);
        let events = [0, 3, 4, 9].map(|number| (number, event(number)));
        let sequences = SequenceEvents { last: 12, events_due: 0, events: events.into() };
        for (sequence, expected) in [(0, Some(3)), (1, Some(3)), (3, Some(3)), (4, Some(4)), (5, Some(9)), (10, None)] {
            assert_eq!(sequences.covering(sequence), expected.map(|number| (event(number), number)), "{sequence}");
        }
        assert_eq!(SequenceEvents::default().covering(0), None);
    }

    #[test]
    fn redundant_waits_are_detected() {
        let mut waited_for = WaitedFor::default();
        assert!(!waited_for.covers(7, 1));
        waited_for.record(7, 5);
        assert!(
            waited_for.covers(7, 5) && waited_for.covers(7, 1) && !waited_for.covers(7, 6) && !waited_for.covers(8, 1)
        );
        for other in 100..100 + MAX_WAITED_FOR as u64 - 1 {
            waited_for.record(other, 1);
        }
        assert!(waited_for.covers(7, 5));
        waited_for.record(1000, 1);
        assert!(!waited_for.covers(7, 5) && waited_for.covers(1000, 1) && waited_for.of.len() == MAX_WAITED_FOR);
    }
}
