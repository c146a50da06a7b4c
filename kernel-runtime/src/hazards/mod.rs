//! Cross-stream dependency tracking: RAW, WAR and WAW hazards between operations on different streams of a device.
//!
//! Each allocation records its accesses: which operation of which stream read or wrote which bytes. Before an operation
//! is enqueued, its stream is made to wait for the recorded accesses on other streams that conflict with it: writes,
//! and reads as well if it writes. While other streams wait for a stream, an event is recorded after each of its most
//! recent operations (`kernel-driver/src/stream/mod.rs`), so that a waiting stream depends on that operation only and
//! not on work enqueued after it.
//!
//! An access is recorded before the launch releases its borrow of the array, hence before any dependent operation is
//! enqueued. The locks only protect against concurrent accesses that do not conflict, such as two reads, or accesses to
//! disjoint parts of an array.
//!
//! # A single stream
//!
//! While only the default stream of a device is in use, no access and no event is recorded: the stream itself orders all
//! work. This remains correct when a second stream is created while other threads are launching:
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
//! The flag is cleared again once no other stream has a handle, work in flight, a pending fault or unread output
//! ([`Context::try_leave_multi_stream`](crate::cuda::Context)). All other work has completed then, so later work need not
//! wait for it; and a stream without handles gets no new work, but for freeing memory that nobody uses any more. The flag
//! and the *epoch* are one number. Each stream that is used in an epoch first waits for an event on the default stream, as
//! the second stream above. So what was recorded in earlier epochs is no dependency of a later operation, and is
//! discarded: in between, accesses were not recorded, and the records would name the wrong writer.
//!
//! # Ownership
//!
//! Recording every access costs a lock and an update per array of a launch, which few programs need: most arrays are used by
//! one stream, or only read. An allocation that a single stream has accessed several times in a row is therefore *owned* by
//! that stream, and one that several streams have read several times since the last write is owned by all of them. The
//! accesses of an owner are not recorded, and checking the ownership is a load. Before another stream accesses the
//! allocation in conflict, or an owner among several writes it, the ownership is revoked, and one record per owner takes the
//! place of its accesses, with a sequence number that covers everything the owner has enqueued so far. No access is lost:
//!
//! - An operation of the owner reads the key before the driver call and again after. If the key is unchanged, the driver call
//!   came before the revocation, which clears the key before it takes the sequence number; so the event that is recorded for
//!   that number, or any later one, covers the operation. This is the argument of the multi-stream flag above.
//! - If the key has changed, the operation is recorded after all. It needs no waits of its own: the stream that revoked the
//!   ownership does not conflict with it, since Rust's borrows prevent conflicting operations from being enqueued
//!   concurrently.
//!
//! The price is precision: the first conflicting operation of another stream waits for all work of the owner, and not only for
//! the accesses to this allocation.
//!
//! # Reservations
//!
//! A graph is the exception to the statements about borrows: its steps are recorded while their arrays are borrowed, and it is
//! launched after that. Another thread may then borrow the arrays, and enqueue an operation between the waits of the graph and
//! the recording of its accesses. So each step *reserves* its memory while it is recorded, until the graph has been launched.
//! Operations that access reserved memory, among them the graph's launch, take turns: from its waits to its records, each
//! excludes the others ([`turns`]).
//!
//! - At the time of the reservation, the memory is borrowed, so no operation that conflicts with the step is being enqueued.
//!   One that begins later finds the reservation, since it has acquired its borrow from the recording thread.
//! - The fast paths do not take turns, and need not. While the flag is clear, both are on the same stream. An owner that is
//!   left is the stream of the graph, or both only read: the reservation revokes all others, and no other stream becomes an owner
//!   until it ends.

mod history;
mod ownership;
mod records;
mod streams;
mod turns;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use self::history::AccessHistory;
use self::history::Dependencies;
pub(crate) use self::records::MemoryAccess;
pub(crate) use self::streams::{PooledStream, StreamRef};
use self::turns::Turn;
use crate::cuda;
use crate::error::Result;

/// Memory whose accesses are recorded.
pub(crate) trait Tracked {
    /// Returns the recorded accesses.
    fn accesses(&self) -> &AccessHistory;

    /// Returns the current stream epoch of the device: see the module's documentation.
    fn stream_epoch(&self) -> u64;

    /// Returns the number of the device.
    fn device_number(&self) -> usize;
}

/// An access of a launch or a copy to an allocation.
#[derive(Clone, Debug)]
pub(crate) struct Use<'a, M> {
    pub(crate) memory: &'a M,
    /// The byte range, relative to the start of the allocation.
    pub(crate) bytes: Range<usize>,
    pub(crate) writes: bool,
}

impl<M> Use<'_, M> {
    fn access(&self) -> MemoryAccess {
        MemoryAccess { bytes: self.bytes.clone(), writes: self.writes }
    }
}

/// Enqueues an operation on `stream` after everything that it depends on, and records its accesses.
///
/// # Errors
///
/// The errors of `work`, or a CUDA driver error.
#[inline]
pub(crate) fn ordered<M: Tracked, R>(
    stream: &Arc<cuda::Stream>,
    uses: &[Use<'_, M>],
    work: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let _turn = Turn::wait_for(uses);
    // After the turn has begun: the previous operation may be the first one of a second stream.
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
fn are_owned<M: Tracked>(stream: &cuda::Stream, uses: &[Use<'_, M>]) -> bool {
    let key = stream.ownership_key();
    uses.iter().all(|used| used.bytes.is_empty() || used.memory.accesses().is_owned_by(key, used.writes))
}

/// Makes a stream wait for all recorded accesses that an operation depends on.
#[cold]
fn wait<M: Tracked>(stream: &cuda::Stream, uses: &[Use<'_, M>]) -> Result<()> {
    let mut dependencies = Dependencies::new();
    for used in uses.iter().filter(|used| !used.bytes.is_empty()) {
        used.memory.accesses().collect(used.memory.stream_epoch(), stream, &used.access(), &mut dependencies);
    }
    wait_for(stream, &dependencies)
}

/// Makes a stream wait for all recorded accesses to an allocation that conflict with `access`.
pub(crate) fn wait_for_history(
    stream: &cuda::Stream,
    history: &AccessHistory,
    epoch: u64,
    access: &MemoryAccess,
) -> Result<()> {
    let mut dependencies = Dependencies::new();
    history.collect(epoch, stream, access, &mut dependencies);
    wait_for(stream, &dependencies)
}

fn wait_for(stream: &cuda::Stream, dependencies: &Dependencies) -> Result<()> {
    dependencies.iter().try_for_each(|(other, sequence)| Ok(stream.wait_for(other, *sequence)?))
}

/// Records accesses by the operation that was enqueued on the stream last.
#[cold]
pub(crate) fn record<M: Tracked>(stream: &Arc<cuda::Stream>, uses: &[Use<'_, M>]) -> Result<()> {
    if uses.iter().all(|used| used.bytes.is_empty()) {
        return Ok(());
    }
    let Ok(sequence) = stream.sequence_last_operation() else {
        // Other streams cannot wait without an event, so the operation has to complete now.
        return Ok(stream.wait()?);
    };
    for used in uses {
        used.memory.accesses().record(used.memory.stream_epoch(), stream, sequence, used.access());
    }
    Ok(())
}
