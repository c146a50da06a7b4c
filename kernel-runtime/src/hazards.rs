//! Cross-stream dependency tracking: RAW, WAR and WAW hazards between operations on different streams of a device.
//!
//! Each allocation records its accesses: which operation of which stream read or wrote which bytes. Before an operation
//! is enqueued, its stream is made to wait for the recorded accesses on other streams that conflict with it: writes,
//! and reads as well if it writes. While other streams wait for a stream, an event is recorded after each of its most
//! recent operations (`cuda/stream.rs`), so that a waiting stream depends on that operation only and not on work
//! enqueued after it.
//!
//! While a device has a single stream, no access and no event is recorded: the stream itself orders all work. This
//! remains correct when a second stream is created while other threads are launching:
//!
//! - The thread that creates the second stream first sets the multi-stream flag and then records an event on the first
//!   stream, which the new stream waits for before any work is enqueued on it
//!   ([`Context::admit`](crate::cuda::Context)).
//! - Each operation reads the flag before and after the driver call. The driver serialises that call with the recording
//!   of the event. If the call comes first, the event covers the operation, and all work of the new stream depends on
//!   the event. If the event comes first, the flag was already set, the second read sees it, and the operation is
//!   recorded after all.
//! - Such an operation needs no waits of its own: everything that it depends on was enqueued before it began, because
//!   Rust's borrows prevent two conflicting operations from being enqueued concurrently; and since the flag was clear
//!   at that time, its dependencies are on the only stream.
//!
//! Recording every access costs a lock and an update per array of a launch, which few programs need: most arrays are used by
//! one stream. An allocation that a single stream has accessed several times in a row is therefore *owned* by that stream. The
//! accesses of the owner are not recorded, and checking the ownership is a load. Before another stream accesses the
//! allocation in conflict, or records an access to it, the ownership is revoked, and one record takes the place of the owner's
//! accesses, with a sequence number that covers everything the owner has enqueued so far. No access is lost:
//!
//! - An operation of the owner reads the key before the driver call and again after. If the key is unchanged, the driver call
//!   came before the revocation, which clears the key before it takes the sequence number; so the event that is recorded for
//!   that number, or any later one, covers the operation. This is the argument of the multi-stream flag above.
//! - If the key has changed, the operation is recorded after all. It needs no waits of its own: the stream that revoked the
//!   ownership does not conflict with it, since Rust's borrows prevent conflicting operations from being enqueued
//!   concurrently.
//!
//! A graph is the exception to the statements about borrows: its steps are recorded while their arrays are borrowed, and it is
//! launched after that. A thread that uses such an array between the end of the recording and the launch, through a lock of its
//! own, is not ordered with the graph.
//!
//! The price is precision: the first conflicting operation of another stream waits for all work of the owner, and not only for
//! the accesses to this allocation.
//!
//! Likewise, an access is recorded before the launch releases its borrow of the array, hence before any dependent
//! operation is enqueued. The locks only protect against concurrent accesses that do not conflict, such as two reads,
//! or accesses to disjoint parts of an array.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::{SmallVec, smallvec};

use crate::cuda;
use crate::error::Result;
use crate::fault;
use crate::memory::Use;
use crate::sync::Mutex;

/// A stream of either backend: the unit of ordering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamRef {
    Cpu(Arc<crate::cpu_stream::Stream>),
    Cuda(Arc<cuda::Stream>),
}

impl StreamRef {
    /// Returns how many times the stream has been reused from the pool.
    fn generation(&self) -> u64 {
        match self {
            StreamRef::Cpu(stream) => stream.generation(),
            StreamRef::Cuda(stream) => stream.generation(),
        }
    }

    /// Returns the pending fault of a completed operation, if any, and clears it.
    pub(crate) fn take_fault(&self) -> Result<()> {
        match self {
            StreamRef::Cpu(stream) => stream.take_fault(),
            StreamRef::Cuda(stream) => fault::take(stream),
        }
    }
}

/// A stream together with the generation in which it was acquired. A stream without handles returns to the pool and is
/// reused, and faults that occur for a later holder must not be reported through arrays and events of an earlier one.
///
/// Equality compares the streams only: the stream orders its work regardless of its holder.
#[derive(Clone, Debug)]
pub(crate) struct PooledStream {
    stream: StreamRef,
    generation: u64,
}

impl PooledStream {
    /// Captures the current generation of the stream.
    pub(crate) fn of(stream: StreamRef) -> PooledStream {
        let generation = stream.generation();
        PooledStream { stream, generation }
    }

    pub(crate) fn stream_ref(&self) -> &StreamRef {
        &self.stream
    }

    /// Returns whether this is the stream, in whatever generation.
    fn is_on(&self, stream: &cuda::Stream) -> bool {
        matches!(&self.stream, StreamRef::Cuda(own) if **own == *stream)
    }

    /// Returns whether both are the same stream in the same generation.
    fn is_same_generation(&self, other: &PooledStream) -> bool {
        self.stream == other.stream && self.generation == other.generation
    }

    /// Returns whether the stream has not been reused since.
    pub(crate) fn is_current(&self) -> bool {
        self.stream.generation() == self.generation
    }

    /// Returns the pending fault of a completed operation, if any, and clears it. Returns `Ok` if the stream has been
    /// reused since: it is only reused once no fault is pending.
    pub(crate) fn take_fault(&self) -> Result<()> {
        if self.is_current() { self.stream.take_fault() } else { Ok(()) }
    }
}

impl PartialEq for PooledStream {
    fn eq(&self, other: &PooledStream) -> bool {
        self.stream == other.stream
    }
}

impl Eq for PooledStream {}

/// The bytes of an allocation that an operation accesses, and whether it writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) bytes: Range<usize>,
    pub(crate) writes: bool,
}

impl Access {
    /// Returns whether two accesses to the same allocation form a hazard: they overlap and at least one of them writes.
    pub(crate) fn conflicts(&self, other: &Access) -> bool {
        (self.writes || other.writes) && self.overlaps(&other.bytes)
    }

    /// Returns whether the access overlaps a byte range.
    fn overlaps(&self, bytes: &Range<usize>) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

/// The operations to wait for: at most one per stream, identified by its sequence number.
type Dependencies = SmallVec<[(Arc<cuda::Stream>, u64); 4]>;

/// The recorded accesses to an allocation.
#[derive(Debug)]
pub(crate) struct AccessHistory {
    /// The [`cuda::Stream::ownership_key`] of the owner, with the bit [`WRITTEN`] if the owner may have written the
    /// allocation; 0 without an owner. Modified under the lock of `state` only.
    owner_key: AtomicU64,
    state: Mutex<HistoryState>,
}

/// The part of an [`AccessHistory`] that is guarded by its lock.
#[derive(Debug)]
struct HistoryState {
    /// The owner, while there is one. The records then are of its accesses before the ownership, unless it may have written.
    owner: Option<PooledStream>,
    records: RecordList<PooledStream>,
    /// The number of accesses that the stream of the last one has recorded in a row.
    streak: u32,
    /// The number of reads among these since the last write.
    reads: u32,
    /// The size of the allocation, in bytes.
    size: usize,
}

/// The bit of an owner's key that is set if the owner has written the whole allocation, and may do so again.
const WRITTEN: u64 = 1;

/// The number of consecutive accesses after which a stream becomes the owner of an allocation.
const OWNED_AFTER: u32 = 4;

impl AccessHistory {
    /// Returns the empty history of an allocation of `size` bytes.
    pub(crate) fn new(size: usize) -> AccessHistory {
        let state = HistoryState { owner: None, records: RecordList::default(), streak: 0, reads: 0, size };
        AccessHistory { owner_key: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// Returns whether an access by the stream with this key needs neither a wait nor a record.
    #[inline]
    pub(crate) fn is_owned_by(&self, key: u64, writes: bool) -> bool {
        // A reader may ignore the bit, a writer needs it.
        self.owner_key.load(Ordering::SeqCst) | u64::from(!writes) == key | WRITTEN
    }

    /// Records a completed operation of the CPU device. Only the stream matters, for its pending fault.
    pub(crate) fn record_on_cpu(&self, stream: &Arc<crate::cpu_stream::Stream>, bytes: Range<usize>, writes: bool) {
        let recorded = RecordedAccess {
            stream: PooledStream::of(StreamRef::Cpu(stream.clone())),
            sequence: 0,
            access: Access { bytes, writes },
        };
        self.state.lock().records.record(recorded);
    }

    /// Returns the streams that wrote any of these bytes, the most recent writer first.
    pub(crate) fn writers(&self, bytes: &Range<usize>) -> SmallVec<[PooledStream; 2]> {
        let state = self.state.lock();
        match &state.owner {
            Some(owner) if self.owner_key.load(Ordering::Relaxed) & WRITTEN != 0 => smallvec![owner.clone()],
            _ => state.records.writers(bytes),
        }
    }

    /// Returns the stream with the most recent access among those that satisfy `wanted`.
    pub(crate) fn last(&self, wanted: impl Fn(&PooledStream) -> bool) -> Option<StreamRef> {
        let state = self.state.lock();
        let recorded = state.records.records.iter().rev().map(|recorded| &recorded.stream);
        state.owner.iter().chain(recorded).find(|pooled| wanted(pooled)).map(|it| it.stream_ref().clone())
    }

    /// Makes a stream wait for all recorded accesses that conflict with `access`.
    pub(crate) fn wait(&self, stream: &cuda::Stream, access: &Access) -> Result<()> {
        let mut dependencies = Dependencies::new();
        self.collect(stream, access, &mut dependencies);
        wait_for(stream, &dependencies)
    }

    /// Collects, per stream, the last operation that an operation on `own` depends on.
    fn collect(&self, own: &cuda::Stream, access: &Access, dependencies: &mut Dependencies) {
        let mut state = self.state.lock();
        if let Some(owner) = &state.owner {
            let written = self.owner_key.load(Ordering::Relaxed) & WRITTEN != 0;
            if owner.is_on(own) {
                return; // ordered by the stream itself
            }
            // Otherwise both read, and only the owner's earlier writes matter.
            if access.writes || written {
                self.revoke(&mut state);
            }
        }
        for recorded in state.records.conflicting(access) {
            let StreamRef::Cuda(stream) = recorded.stream.stream_ref() else { continue }; // operations on the CPU have completed
            if **stream == *own {
                continue; // ordered by the stream itself
            }
            match dependencies.iter_mut().find(|(other, _)| other == stream) {
                Some((_, sequence)) => *sequence = recorded.sequence.max(*sequence),
                None => dependencies.push((stream.clone(), recorded.sequence)),
            }
        }
    }

    /// Records an access by operation `sequence` of `stream`, unless the stream owns the allocation. A stream that has
    /// recorded the last [`OWNED_AFTER`] accesses, and is the only one with records, becomes the owner.
    fn record(&self, stream: &Arc<cuda::Stream>, sequence: u64, access: Access) {
        if access.bytes.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        if let Some(owner) = &state.owner {
            if owner.is_on(stream) && owner.is_current() {
                if !access.writes || self.owner_key.load(Ordering::Relaxed) & WRITTEN != 0 {
                    return;
                }
                if access.bytes == (0..state.size) {
                    self.owner_key.fetch_or(WRITTEN, Ordering::SeqCst);
                    return;
                }
            }
            self.revoke(&mut state);
        }
        // Before the generation: a stream that is reused in between has another key, which is then not published.
        let key = stream.ownership_key();
        let new = PooledStream::of(StreamRef::Cuda(stream.clone()));
        let HistoryState { owner, records, streak, reads, size } = &mut *state;
        let continues = records.records.last().is_some_and(|last| last.stream.is_same_generation(&new));
        *streak = if continues { *streak + 1 } else { 1 };
        *reads = match access.writes {
            true => 0,
            false if continues => *reads + 1,
            false => 1,
        };
        let written = access.writes;
        records.record(RecordedAccess { stream: new.clone(), sequence, access });
        // A stream that has just begun to read may be about to share what it wrote.
        if *streak < OWNED_AFTER || !written && *reads < OWNED_AFTER {
            return;
        }
        (*streak, *reads) = (0, 0);
        // The owner counts as the writer of every byte, whose fault a reader reports.
        let is_whole_write =
            |recorded: &RecordedAccess<_>| recorded.access.writes && recorded.access.bytes == (0..*size);
        if written && !records.records.iter().any(is_whole_write) {
            return;
        }
        if records.records.iter().all(|recorded| recorded.stream.is_same_generation(&new)) {
            // A reader keeps its records, so that other readers only wait for the write before.
            if written {
                *records = RecordList::default();
            }
            *owner = Some(new);
            self.owner_key.store(key | u64::from(written), Ordering::SeqCst);
        }
    }

    /// Revokes the ownership: the owner's accesses become one record of the whole allocation, by an operation that is not
    /// earlier than any of them.
    #[cold]
    fn revoke(&self, state: &mut HistoryState) {
        let Some(owner) = state.owner.take() else { return };
        // Before the sequence number: see the module's documentation.
        let writes = self.owner_key.swap(0, Ordering::SeqCst) & WRITTEN != 0;
        let StreamRef::Cuda(stream) = owner.stream_ref() else { return };
        let sequence = stream.sequence_enqueued_work();
        let access = Access { bytes: 0..state.size, writes };
        state.records.record(RecordedAccess { stream: owner, sequence, access });
    }
}

/// Enqueues an operation on `stream` after everything that it depends on, and records its accesses.
///
/// # Errors
///
/// The errors of `work`, or a CUDA driver error.
#[inline]
pub(crate) fn ordered<R>(stream: &Arc<cuda::Stream>, uses: &[Use<'_>], work: impl FnOnce() -> Result<R>) -> Result<R> {
    let unordered = || stream.is_multi_stream() && !are_owned(stream, uses);
    if unordered() {
        wait(stream, uses)?;
    }
    let result = work();
    // Even if it failed: part of the work may have been enqueued.
    if unordered() {
        record(stream, uses)?;
    }
    result
}

/// Returns whether the stream owns all allocations that an operation accesses.
fn are_owned(stream: &cuda::Stream, uses: &[Use<'_>]) -> bool {
    let key = stream.ownership_key();
    uses.iter().all(|used| used.bytes.is_empty() || used.memory.accesses().is_owned_by(key, used.writes))
}

#[cold]
fn wait(stream: &cuda::Stream, uses: &[Use<'_>]) -> Result<()> {
    let mut dependencies = Dependencies::new();
    for used in uses.iter().filter(|used| !used.bytes.is_empty()) {
        used.memory.accesses().collect(stream, &used.access(), &mut dependencies);
    }
    wait_for(stream, &dependencies)
}

fn wait_for(stream: &cuda::Stream, dependencies: &Dependencies) -> Result<()> {
    dependencies.iter().try_for_each(|(other, sequence)| Ok(stream.wait_for(other, *sequence)?))
}

/// Records accesses by the operation that was enqueued on the stream last.
#[cold]
pub(crate) fn record(stream: &Arc<cuda::Stream>, uses: &[Use<'_>]) -> Result<()> {
    if uses.iter().all(|used| used.bytes.is_empty()) {
        return Ok(());
    }
    let Ok(sequence) = stream.sequence_last_operation() else {
        // Other streams cannot wait without an event, so the operation has to complete now.
        return Ok(stream.wait()?);
    };
    for used in uses {
        used.memory.accesses().record(stream, sequence, used.access());
    }
    Ok(())
}

/// A recorded access to some bytes of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RecordedAccess<S> {
    stream: S,
    /// The sequence number of the operation on its stream.
    sequence: u64,
    access: Access,
}

/// The number of records above which the records of each stream are merged.
const MAX_RECORDS: usize = 256;

/// The accesses to an allocation that later operations may depend on, in the order of recording.
#[derive(Debug)]
struct RecordList<S> {
    records: SmallVec<[RecordedAccess<S>; 1]>,
}

impl<S> Default for RecordList<S> {
    fn default() -> Self {
        RecordList { records: SmallVec::new() }
    }
}

impl<S: Clone + PartialEq> RecordList<S> {
    /// Returns the recorded accesses that conflict with a new one.
    fn conflicting(&self, access: &Access) -> impl Iterator<Item = &RecordedAccess<S>> {
        self.records.iter().filter(move |recorded| recorded.access.conflicts(access))
    }

    fn writers(&self, bytes: &Range<usize>) -> SmallVec<[S; 2]> {
        let mut writers = SmallVec::new();
        for recorded in
            self.records.iter().rev().filter(|recorded| recorded.access.writes && recorded.access.overlaps(bytes))
        {
            if !writers.contains(&recorded.stream) {
                writers.push(recorded.stream.clone());
            }
        }
        writers
    }

    /// Records an access that has waited for everything it depends on.
    fn record(&mut self, new: RecordedAccess<S>) {
        if new.access.bytes.is_empty() {
            return;
        }
        // Fast path: a single stream uses the memory.
        if let [only] = &mut self.records[..]
            && supersedes(&new, only)
        {
            *only = new;
            return;
        }
        self.records.retain(|old| !supersedes(&new, old));
        self.records.push(new);
        if self.records.len() > MAX_RECORDS {
            self.merge_records();
        }
    }

    /// Merges the reads of each stream, and the writes of each stream, into one record each. Waiting for the merged
    /// record waits for the last of them.
    fn merge_records(&mut self) {
        let mut kept: SmallVec<[RecordedAccess<S>; 1]> = SmallVec::new();
        for recorded in self.records.drain(..) {
            let is_alike = |other: &RecordedAccess<S>| {
                other.stream == recorded.stream && other.access.writes == recorded.access.writes
            };
            match kept.iter().position(is_alike) {
                Some(position) => {
                    // Moved to the end: the merged record is as recent as its last access.
                    let mut merged = kept.remove(position);
                    let (all, new) = (&mut merged.access.bytes, recorded.access.bytes);
                    *all = all.start.min(new.start)..all.end.max(new.end);
                    merged.sequence = merged.sequence.max(recorded.sequence);
                    // The latest generation of the stream holds the pending fault.
                    merged.stream = recorded.stream;
                    kept.push(merged);
                }
                None => kept.push(recorded),
            }
        }
        self.records = kept;
    }
}

/// Returns whether `new` supersedes `old`: it waited for `old`, or comes later on the same stream, and every access
/// that conflicts with `old` also conflicts with `new`.
fn supersedes<S: PartialEq>(new: &RecordedAccess<S>, old: &RecordedAccess<S>) -> bool {
    let (all, part) = (&new.access.bytes, &old.access.bytes);
    let contains = all.start <= part.start && part.end <= all.end;
    contains && (new.access.writes || !old.access.writes && new.stream == old.stream && new.sequence >= old.sequence)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: bool = false;
    const WRITE: bool = true;

    fn list(uses: &[(char, u64, Range<usize>, bool)]) -> RecordList<char> {
        let mut list = RecordList::default();
        for (stream, sequence, bytes, writes) in uses {
            list.record(RecordedAccess {
                stream: *stream,
                sequence: *sequence,
                access: Access { bytes: bytes.clone(), writes: *writes },
            });
        }
        list
    }

    /// Checks the operations that an access to these bytes depends on.
    #[track_caller]
    fn check(list: &RecordList<char>, bytes: Range<usize>, writes: bool, expected: &[(char, u64)]) {
        let dependencies: Vec<_> =
            list.conflicting(&Access { bytes, writes }).map(|recorded| (recorded.stream, recorded.sequence)).collect();
        assert_eq!(dependencies, expected, "{list:?}");
    }

    #[test]
    fn reads_depend_on_the_write_and_writes_on_all_accesses() {
        let list = list(&[('a', 1, 0..8, WRITE), ('b', 1, 0..8, READ), ('c', 4, 0..8, READ), ('b', 2, 0..8, READ)]);
        check(&list, 0..8, READ, &[('a', 1)]);
        check(&list, 0..8, WRITE, &[('a', 1), ('c', 4), ('b', 2)]);
    }

    #[test]
    fn a_write_supersedes_the_accesses_it_waited_for() {
        let list = list(&[('a', 1, 0..8, WRITE), ('b', 1, 0..8, READ), ('c', 2, 0..8, WRITE)]);
        check(&list, 0..8, WRITE, &[('c', 2)]);
        assert_eq!(list.records.len(), 1);
    }

    #[test]
    fn disjoint_accesses_are_independent() {
        let list = list(&[('a', 1, 0..4, WRITE), ('b', 1, 4..8, WRITE)]);
        check(&list, 0..4, WRITE, &[('a', 1)]);
        check(&list, 4..8, READ, &[('b', 1)]);
        check(&list, 3..5, READ, &[('a', 1), ('b', 1)]);
        check(&list, 8..9, WRITE, &[]);
        check(&list, 4..4, WRITE, &[]);
    }

    #[test]
    fn a_partially_covered_access_is_kept() {
        let list = list(&[('a', 1, 0..8, WRITE), ('b', 1, 0..4, WRITE), ('b', 2, 0..0, WRITE)]);
        check(&list, 6..8, READ, &[('a', 1)]);
        check(&list, 0..8, READ, &[('a', 1), ('b', 1)]);
        assert_eq!(list.writers(&(0..8)).as_slice(), ['b', 'a']);
        assert_eq!(list.writers(&(4..8)).as_slice(), ['a']);
    }

    #[test]
    fn a_read_recorded_out_of_order_does_not_supersede_a_later_one() {
        // Two threads read on one stream: the second operation may be recorded first.
        let list = list(&[('b', 2, 0..8, READ), ('b', 1, 0..8, READ)]);
        check(&list, 0..8, WRITE, &[('b', 2), ('b', 1)]);
    }

    #[test]
    fn merged_records_cover_all_accesses() {
        let uses: Vec<_> = (0..1000).map(|i| ('a', i as u64 + 1, 2 * i..2 * i + 1, WRITE)).collect();
        let list = list(&uses);
        assert!(list.records.len() <= MAX_RECORDS);
        for (stream, sequence, bytes, _) in uses {
            assert!(
                list.conflicting(&Access { bytes, writes: READ })
                    .any(|recorded| recorded.stream == stream && recorded.sequence >= sequence)
            );
        }
    }

    /// An operation with a vector clock: the last operation of each stream that happens before it or is itself.
    struct Completed {
        stream: usize,
        sequence: u64,
        access: Access,
        clock: [u64; 4],
    }

    /// Property test: random accesses on few streams against a complete history. Every dependency is satisfied,
    /// directly or transitively.
    #[test]
    fn kept_records_imply_all_dependencies() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..200 {
            let mut list = RecordList::default();
            let mut sequences = [0u64; 4];
            let mut completed: Vec<Completed> = Vec::new();
            let mut clock = [[0u64; 4]; 4];
            for _ in 0..400 {
                let (stream, start, writes) = (random(4), random(24), random(3) == 0);
                let access = Access { bytes: start..start + 1 + random(8), writes };
                for recorded in list.conflicting(&access) {
                    let of = completed
                        .iter()
                        .find(|completed| {
                            completed.stream == recorded.stream && completed.sequence == recorded.sequence
                        })
                        .unwrap();
                    for (mine, theirs) in clock[stream].iter_mut().zip(of.clock) {
                        *mine = (*mine).max(theirs);
                    }
                }
                for other in &completed {
                    if other.access.conflicts(&access) && other.stream != stream {
                        let Completed { stream: of, sequence, .. } = *other;
                        assert!(clock[stream][of] >= sequence, "no dependency on operation {sequence} of stream {of}");
                    }
                }
                sequences[stream] += 1;
                clock[stream][stream] = sequences[stream];
                completed.push(Completed {
                    stream,
                    sequence: sequences[stream],
                    access: access.clone(),
                    clock: clock[stream],
                });
                list.record(RecordedAccess { stream, sequence: sequences[stream], access });
            }
        }
    }
}
