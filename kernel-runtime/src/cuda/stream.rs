//! A stream of a GPU: an order of work, the record of its kernels' faults, and what they print.
//!
//! A stream counts those of its operations that another stream may have to wait for. While others do wait for it, each of the
//! last has an event behind it, so that they wait for that operation and not for what came later. A stream that nobody has
//! waited for lately has none: who waits for it then waits for all that it was asked for so far, and from there on its
//! operations have events again. What has to wait for what is decided in `order.rs`.
//!
//! Streams that we made are never destroyed: one that nobody holds is handed out again, when its work is done and its
//! faults are given out. So nothing that remembers a stream can outlive it, and a fault that nobody waited for is not lost.

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

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the legacy default stream of other libraries.
const NON_BLOCKING: u32 = 1;

/// `CU_EVENT_DISABLE_TIMING`: the event costs less.
pub(super) const DISABLE_TIMING: u32 = 2;

/// How many operations of a stream have an event of their own, and how many get one after another stream waited for it.
const EVENTS: usize = 64;

/// How many other streams a stream remembers to have waited for. Forgetting one costs a wait that was not needed.
const REMEMBERED: usize = 64;

/// What a stream was made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Kind {
    /// It waits for the legacy default stream, and that for it.
    pub(crate) blocking: bool,
    /// Lower numbers go first.
    pub(crate) priority: i32,
}

/// A stream of a GPU.
pub(crate) struct Stream {
    primary: Arc<Primary>,
    raw: CUstream,
    /// Tells streams apart, those of other GPUs too.
    number: u64,
    origin: Origin,
    /// How many hold it. One that nobody holds is handed out again.
    held: AtomicU32,
    /// How often it was handed out again.
    tenancy: AtomicU64,
    fault: FaultRecord,
    prints: Prints,
    marks: Mutex<Marks>,
    seen: Mutex<Seen>,
}

/// Where a stream is from.
enum Origin {
    /// We made it.
    Own(Kind),
    /// Another library made it, and destroys it once this is dropped.
    #[cfg(feature = "cudarc")]
    Foreign(Box<dyn Any + Send + Sync>),
}

// SAFETY: the handles may be used from any thread; each method makes the context current to its thread first.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver's functions are thread-safe, and what is ours is behind locks.
unsafe impl Sync for Stream {}

impl Stream {
    /// Makes a stream in the context that is current.
    pub(super) fn create(primary: &Arc<Primary>, kind: Kind) -> Result<Stream, Refusal> {
        let flags = if kind.blocking { 0 } else { NON_BLOCKING };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the write, and the context is current.
        unsafe { primary.driver.cuStreamCreateWithPriority(&raw mut raw, flags, kind.priority) }?;
        match FaultRecord::new(primary.driver) {
            Ok(fault) => Ok(Stream::new(primary, raw, Origin::Own(kind), fault)),
            Err(refusal) => {
                // The first refusal says more than one of this.
                // SAFETY: made just above, and nobody has it.
                let _ = unsafe { primary.driver.cuStreamDestroy_v2(raw) };
                Err(refusal)
            }
        }
    }

    /// A stream that another library made, and that `owner` keeps alive. The context is current.
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

    /// The context that the stream is in.
    pub(crate) fn primary(&self) -> &Primary {
        &self.primary
    }

    /// The context, to be kept.
    pub(super) fn shared_primary(&self) -> Arc<Primary> {
        self.primary.clone()
    }

    /// The functions of the driver.
    pub(super) fn driver(&self) -> &'static Driver {
        self.primary.driver
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    /// The address of the fault record, for the `fault` member of a kernel's `struct Launch`.
    #[inline]
    pub(crate) fn fault_pointer(&self) -> u64 {
        self.fault.device_pointer()
    }

    /// Launches a kernel that prints: `launch` gets the address for the `print` member of a kernel's `struct Launch`.
    pub(crate) fn launch_printing(&self, launch: impl FnOnce(u64) -> Result<(), Refusal>) -> Result<(), Refusal> {
        self.primary.bind()?;
        self.prints.launch(self.driver(), launch)
    }

    /// Waits until everything that was asked of the stream is done, prints what its kernels print, and gives out the fault
    /// of one.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`], once for each fault, or what the driver refused.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        self.wait_and_print()?;
        self.give_out_fault()
    }

    /// Waits until everything that was asked of the stream is done, and prints what its kernels print.
    pub(crate) fn wait_and_print(&self) -> Result<(), Refusal> {
        let done = self.wait();
        // Also where the context was lost: what was printed before that may say why.
        self.write_out_prints();
        done
    }

    /// The fault of a kernel that has ended, as an error, once.
    pub(crate) fn give_out_fault(&self) -> Result<(), Error> {
        match self.primary.while_open(|| self.fault.take(|| self.wait())).transpose()?.flatten() {
            None => Ok(()),
            Some(raw) => Err(fault::resolve(raw)),
        }
    }

    /// Waits for the stream.
    pub(crate) fn wait(&self) -> Result<(), Refusal> {
        self.primary.bind()?;
        // SAFETY: the stream is alive as long as this object.
        unsafe { self.driver().cuStreamSynchronize(self.raw) }
    }

    /// Whether everything that was asked of the stream is done.
    pub(crate) fn is_done(&self) -> Result<bool, Refusal> {
        self.primary.bind()?;
        // SAFETY: the stream is alive as long as this object.
        done(unsafe { self.driver().cuStreamQuery(self.raw) })
    }

    /// Whether other streams are in play. See `order.rs`.
    #[inline]
    pub(crate) fn has_company(&self) -> bool {
        self.primary.has_several_streams()
    }

    /// Numbers the operation that the stream was asked for last.
    pub(crate) fn mark(&self) -> Result<u64, Refusal> {
        // The number is given and the event recorded under the lock, so that later numbers are later in the stream.
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

    /// Records an event behind all that was asked of the stream so far, as that of an operation. The context is current.
    fn record_mark(&self, marks: &mut Marks, number: u64) -> Result<CUevent, Refusal> {
        // Whoever waits for the oldest has been told so already, and goes on waiting for what it was recorded behind.
        let oldest = if marks.events.len() < EVENTS { None } else { marks.events.pop_front() };
        let event = oldest.map_or_else(|| new_event(self.driver(), DISABLE_TIMING), |(_, event)| Ok(event))?;
        // SAFETY: the event is alive, and both are of this context, which is current.
        if let Err(refusal) = unsafe { self.driver().cuEventRecord(event, self.raw) } {
            // It is behind what it was behind before, which is nothing that a number of now stands for.
            marks.events.push_front((0, event));
            return Err(refusal);
        }
        marks.events.push_back((number, event));
        Ok(event)
    }

    /// Lets all that is asked of this stream from now on happen behind what had the number `mark` in another, which may be
    /// of another GPU.
    pub(crate) fn wait_for(&self, other: &Stream, mark: u64) -> Result<(), Refusal> {
        if self == other {
            return Ok(());
        }
        // Under the lock, so that another thread finds a number here only when the stream has been told to wait for it.
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
        // SAFETY: both are alive. The stream waits for what the event was recorded behind when it was told so (CUDA Driver
        // API, `cuStreamWaitEvent`), and the lock keeps others from recording it anew until then.
        unsafe { self.driver().cuStreamWaitEvent(self.raw, event, 0) }?;
        seen.note(other.number, covered);
        Ok(())
    }

    /// As [`Stream::wait_for`], for an event.
    ///
    /// # Safety
    ///
    /// The event is alive.
    pub(super) unsafe fn wait_for_event(&self, event: CUevent) -> Result<(), Refusal> {
        self.primary.bind()?;
        // SAFETY: the stream is alive, and so is the event.
        unsafe { self.driver().cuStreamWaitEvent(self.raw, event, 0) }
    }

    /// Whether both are of one GPU.
    pub(crate) fn is_beside(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.primary, &other.primary)
    }

    /// Whether another library made it.
    #[cfg(feature = "cudarc")]
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self.origin, Origin::Foreign(_))
    }

    /// What keeps it alive, where another library made it.
    #[cfg(feature = "cudarc")]
    pub(super) fn owner(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.origin {
            Origin::Own(_) => None,
            Origin::Foreign(owner) => Some(&**owner),
        }
    }

    /// Whether someone holds it.
    pub(super) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire) > 0
    }

    /// Waits for the kernels that print, if there are any, and prints what they print. It may wait for the standard output:
    /// the caller has locked nothing.
    pub(super) fn write_out_prints(&self) {
        self.primary.while_open(|| self.prints.read(|| self.wait()));
        self.prints.write_out();
    }

    /// Whether its work is done, and no fault is left.
    pub(super) fn is_idle(&self) -> Result<bool, Refusal> {
        // The record is asked last: a kernel that was running may have filled it.
        Ok(self.is_done()? && self.primary.while_open(|| !self.fault.is_set()).unwrap_or(false))
    }

    /// Frees the memory that its kernels write on the host.
    ///
    /// # Safety
    ///
    /// None of its kernels runs or will run, and nobody else uses that memory any more.
    pub(super) unsafe fn free_host_memory(&self) -> Result<(), Refusal> {
        // SAFETY: the caller's promise.
        unsafe { self.fault.free(self.driver()).and(self.prints.free(self.driver())) }
    }

    /// Takes the stream for a new holder, if it is of this kind, nobody holds it, its work is done, and no fault is left.
    /// What its kernels printed for the one before is still to be written out.
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

    /// How often it was handed out again.
    pub(crate) fn tenancy(&self) -> u64 {
        self.tenancy.load(Ordering::Acquire)
    }

    /// One more holds it; somebody does already.
    #[cfg(feature = "cudarc")]
    pub(super) fn hold(&self) {
        self.held.fetch_add(1, Ordering::AcqRel);
    }

    /// One of those that hold the stream does no more. Its work goes on.
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
        // Our own streams stay with the context; this is one of another library's, or one that could not be used. The fault
        // record may be written until its kernels are over.
        let primary = self.shared_primary();
        primary.while_open(|| self.end());
    }
}

impl Stream {
    /// Gives back what belongs to the stream.
    fn end(&mut self) {
        if let Err(refusal) = self.wait() {
            self.primary.note_dropped(refusal);
            return;
        }
        for (_, event) in std::mem::take(&mut self.marks.get_mut().events) {
            // SAFETY: the event is ours, and whoever waits for it has been told so already.
            if let Err(refusal) = unsafe { self.driver().cuEventDestroy_v2(event) } {
                self.primary.note_dropped(refusal);
            }
        }
        // SAFETY: the stream is done, and nobody else has its record and its buffers.
        let freed = unsafe { self.free_host_memory() };
        let destroyed = match self.origin {
            // SAFETY: we made it, and nobody else has it.
            Origin::Own(_) => unsafe { self.driver().cuStreamDestroy_v2(self.raw) },
            #[cfg(feature = "cudarc")]
            Origin::Foreign(_) => Ok(()),
        };
        if let Err(refusal) = freed.and(destroyed) {
            self.primary.note_dropped(refusal);
        }
    }
}

/// The numbers and the events of a stream's operations.
struct Marks {
    /// The number of the last operation, from 1.
    last: u64,
    /// How many of the next operations get an event: some for each time that another stream waits for this one.
    watched: usize,
    /// The operations that have an event, with that, in their order. An event with the number 0 is behind none of them.
    events: VecDeque<(u64, CUevent)>,
}

impl Default for Marks {
    fn default() -> Self {
        // Whether others will wait for it is not known of a new stream.
        Marks { last: 0, watched: EVENTS, events: VecDeque::new() }
    }
}

impl Marks {
    /// The oldest event that is not before operation `mark`, and its number.
    fn not_before(&self, mark: u64) -> Option<(CUevent, u64)> {
        self.events.iter().find(|(number, _)| *number >= mark.max(1)).map(|&(number, event)| (event, number))
    }
}

/// What a stream has waited for already: of each other stream, the last number.
#[derive(Default)]
struct Seen {
    /// The one that was noted last is behind the others.
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

/// An event in the context that is current.
pub(super) fn new_event(driver: &Driver, flags: u32) -> Result<CUevent, Refusal> {
    let mut event = std::ptr::null_mut();
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuEventCreate(&raw mut event, flags) }?;
    Ok(event)
}

/// What the answer to a query says.
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
    fn the_event_of_an_operation_or_a_later_one() {
        let event = |number: u64| std::ptr::without_provenance_mut(number as usize);
        let events = [0, 3, 4, 9].map(|number| (number, event(number)));
        let marks = Marks { last: 12, watched: 0, events: events.into() };
        for (mark, expected) in [(0, Some(3)), (1, Some(3)), (3, Some(3)), (4, Some(4)), (5, Some(9)), (10, None)] {
            assert_eq!(marks.not_before(mark), expected.map(|number| (event(number), number)), "{mark}");
        }
        assert_eq!(Marks::default().not_before(0), None);
    }

    #[test]
    fn a_stream_remembers_what_it_waited_for() {
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
