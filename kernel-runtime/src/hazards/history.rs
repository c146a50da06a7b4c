//! The access history of an allocation: its records and its owners, and the dependencies that follow from them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::{SmallVec, smallvec};

use super::ownership::{OwnerKeys, Owners};
use super::records::{MemoryAccess, RecordList, RecordedAccess};
use super::streams::{PooledStream, StreamRef};
use crate::cuda;
use crate::sync::Mutex;

/// The operations to wait for: at most one per stream, identified by its sequence number.
pub(super) type Dependencies = SmallVec<[(Arc<cuda::Stream>, u64); 4]>;

/// The accesses to an allocation that later operations may depend on.
#[derive(Debug)]
pub(crate) struct AccessHistory {
    /// Modified under the lock of `state` only.
    owner_keys: OwnerKeys,
    /// The number of reservations, which operations compare without a lock. Modified under the lock of `state` only.
    reservations: AtomicU32,
    state: Mutex<HistoryState>,
}

/// The part of an [`AccessHistory`] that is guarded by its lock.
#[derive(Debug)]
struct HistoryState {
    /// The [epoch](cuda::PrimaryContext::stream_epoch) of the device in which all of this was recorded.
    epoch: u64,
    /// The streams whose accesses are not recorded.
    owners: Owners,
    /// Without the accesses of an owner that may have written the allocation.
    records: RecordList<PooledStream>,
    streaks: Streaks,
    /// The stream of each reservation.
    reserved_for: SmallVec<[Arc<cuda::Stream>; 1]>,
    /// The size of the allocation, in bytes.
    size: usize,
}

/// The number of consecutive accesses after which a stream becomes the owner of an allocation, and of its reads since the last
/// write after which it becomes one of the owners that read it.
const OWNED_AFTER: u32 = 4;

/// The number of streams whose reads are counted.
const MAX_READERS: usize = 8;

/// The recent accesses per stream, as far as they decide about the ownership. A stream is identified by its ownership key.
#[derive(Debug, Default)]
struct Streaks {
    /// The stream of the last accesses, and how many it has made in a row.
    last: (u64, u32),
    /// The streams that have read the allocation since the last write, and how many times each.
    reads: SmallVec<[(u64, u32); 2]>,
}

impl Streaks {
    /// Counts an access. Returns whether the stream has made enough to become an owner.
    fn count(&mut self, key: u64, writes: bool) -> bool {
        self.last = (key, if self.last.0 == key { self.last.1.saturating_add(1) } else { 1 });
        if writes {
            self.reads.clear();
            return self.last.1 >= OWNED_AFTER;
        }
        let position = self.reads.iter().position(|(reader, _)| *reader == key).unwrap_or_else(|| {
            if self.reads.len() == MAX_READERS {
                self.reads.remove(0);
            }
            self.reads.push((key, 0));
            self.reads.len() - 1
        });
        let (_, reads) = &mut self.reads[position];
        *reads = reads.saturating_add(1);
        *reads >= OWNED_AFTER
    }
}

impl AccessHistory {
    /// Returns the empty history of an allocation of `size` bytes.
    pub(crate) fn new(size: usize) -> AccessHistory {
        let (owners, records, streaks) = (Owners::default(), RecordList::default(), Streaks::default());
        let state = HistoryState { epoch: 0, owners, records, streaks, reserved_for: SmallVec::new(), size };
        AccessHistory { owner_keys: OwnerKeys::default(), reservations: AtomicU32::new(0), state: Mutex::new(state) }
    }

    /// Returns whether an access by the stream with this key needs neither a wait nor a record.
    #[inline]
    pub(crate) fn is_owned_by(&self, key: u64, writes: bool) -> bool {
        self.owner_keys.allow(key, writes)
    }

    /// Records a completed operation of the CPU device. Only the stream matters, for its pending fault.
    pub(crate) fn record_on_cpu(
        &self,
        epoch: u64,
        stream: &Arc<crate::cpu_stream::Stream>,
        bytes: Range<usize>,
        writes: bool,
    ) {
        let recorded = RecordedAccess {
            stream: PooledStream::of(StreamRef::Cpu(stream.clone())),
            sequence: 0,
            access: MemoryAccess { bytes, writes },
        };
        let state = &mut *self.state.lock();
        self.begin_epoch(state, epoch);
        state.records.record(recorded);
    }

    /// Returns the streams that wrote any of these bytes in this epoch, the most recent writer first.
    pub(crate) fn writers(&self, epoch: u64, bytes: &Range<usize>) -> SmallVec<[PooledStream; 2]> {
        let state = &mut *self.state.lock();
        self.begin_epoch(state, epoch);
        match state.owners.writer() {
            Some(owner) => smallvec![owner.clone()],
            None => state.records.writers(bytes),
        }
    }

    /// Returns the result of `find` for the stream with the most recent access in this epoch among those for which it returns
    /// one.
    pub(crate) fn last<R>(&self, epoch: u64, find: impl FnMut(&PooledStream) -> Option<R>) -> Option<R> {
        let state = &mut *self.state.lock();
        self.begin_epoch(state, epoch);
        state.owners.iter().chain(state.records.streams()).find_map(find)
    }

    /// Reserves bytes for an operation of `stream` that is enqueued later, while the caller still borrows them. See the module's
    /// documentation.
    pub(crate) fn reserve(&self, epoch: u64, stream: &Arc<cuda::Stream>, writes: bool) {
        let state = &mut *self.state.lock();
        self.begin_epoch(state, epoch);
        // Other owners would not take turns with that operation.
        if state.owners.contain_other_than(stream) && (writes || state.owners.writer().is_some()) {
            self.revoke(state);
        }
        state.reserved_for.push(stream.clone());
        self.reservations.fetch_add(1, Ordering::SeqCst);
    }

    /// Removes a reservation for an operation of `stream`.
    pub(crate) fn cancel_reservation(&self, stream: &cuda::Stream) {
        let state = &mut *self.state.lock();
        if let Some(position) = state.reserved_for.iter().position(|reserving| **reserving == *stream) {
            state.reserved_for.swap_remove(position);
            self.reservations.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Returns whether any bytes are reserved.
    #[inline]
    pub(super) fn is_reserved(&self) -> bool {
        self.reservations.load(Ordering::SeqCst) != 0
    }

    /// Collects, per stream, the last operation that an operation on `own` depends on.
    pub(super) fn collect(
        &self,
        epoch: u64,
        own: &cuda::Stream,
        access: &MemoryAccess,
        dependencies: &mut Dependencies,
    ) {
        let state = &mut *self.state.lock();
        self.begin_epoch(state, epoch);
        let written = state.owners.writer().is_some();
        if state.owners.contain(own) {
            if written || !access.writes {
                return; // ordered by the stream itself
            }
            if state.owners.contain_other_than(own) {
                self.revoke(state);
            }
        } else if access.writes || written {
            // Otherwise both read, and only earlier writes matter.
            self.revoke(state);
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

    /// Records an access by operation `sequence` of `stream`, unless the stream owns the allocation. A stream with enough
    /// accesses becomes an owner.
    pub(super) fn record(&self, epoch: u64, stream: &Arc<cuda::Stream>, sequence: u64, access: MemoryAccess) {
        if access.bytes.is_empty() {
            return;
        }
        let state = &mut *self.state.lock();
        self.begin_epoch(state, epoch);
        // Before the generation: a stream that is reused in between has another key, which is then not published.
        let key = stream.ownership_key();
        let new = PooledStream::of(StreamRef::Cuda(stream.clone()));
        let (writes, is_whole) = (access.writes, access.bytes == (0..state.size));
        let is_written = state.owners.writer().is_some();
        // An owner would not take turns with the operation of another stream that the bytes are reserved for.
        let may_own = state.reserved_for.iter().all(|reserving| reserving == stream);
        if state.owners.contain_generation(&new) && (!writes || is_written) {
            return;
        }
        if state.owners.are_only(&new) && is_whole && may_own {
            // The owner that has read the allocation now writes it, after all operations in the records.
            state.records = RecordList::default();
            state.owners.set_writer(&self.owner_keys, new, key);
            return;
        }
        if writes || is_written {
            self.revoke(state);
        }
        let has_enough = state.streaks.count(key, writes);
        state.records.record(RecordedAccess { stream: new.clone(), sequence, access });
        if !has_enough || !may_own {
            return;
        }
        let HistoryState { owners, records, streaks, size, .. } = state;
        let is_alone = records.iter().all(|recorded| recorded.stream.is_same_generation(&new));
        if writes {
            // The owner counts as the writer of every byte, whose fault a reader reports.
            let is_whole_write =
                |recorded: &RecordedAccess<_>| recorded.access.writes && recorded.access.bytes == (0..*size);
            if is_alone && records.iter().any(is_whole_write) {
                *records = RecordList::default();
                *streaks = Streaks::default();
                owners.set_writer(&self.owner_keys, new, key);
            }
        } else if is_whole || is_alone {
            // It has waited for every write. The records remain, so that other readers only wait for these writes.
            owners.add_reader(&self.owner_keys, new, key);
        }
    }

    /// Revokes the ownership: the accesses of each owner become one record of the whole allocation, by an operation that is not
    /// earlier than any of them.
    fn revoke(&self, state: &mut HistoryState) {
        // The keys before the sequence numbers: see the module's documentation.
        let (owners, writes) = state.owners.take(&self.owner_keys);
        for owner in owners {
            let StreamRef::Cuda(stream) = owner.stream_ref() else { continue };
            let sequence = stream.sequence_enqueued_work();
            let access = MemoryAccess { bytes: 0..state.size, writes };
            state.records.record(RecordedAccess { stream: owner, sequence, access });
        }
    }

    /// Discards what an earlier epoch has recorded, except for the ownership of the default stream, whose accesses may be of this
    /// epoch as well. A thread that has read the epoch before a later one began discards nothing.
    #[inline]
    fn begin_epoch(&self, state: &mut HistoryState, epoch: u64) {
        if state.epoch < epoch {
            self.discard(state, epoch);
        }
    }

    #[cold]
    fn discard(&self, state: &mut HistoryState, epoch: u64) {
        state.epoch = epoch;
        state.streaks = Streaks::default();
        state.records = RecordList::default();
        self.revoke(state);
        // Of the streams of an earlier epoch, only the default one has kept its handles.
        state.records.retain(|recorded| recorded.stream.is_held());
    }
}
