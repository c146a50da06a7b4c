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
//! Likewise, an access is recorded before the launch releases its borrow of the array, hence before any dependent
//! operation is enqueued. The locks only protect against concurrent accesses that do not conflict, such as two reads,
//! or accesses to disjoint parts of an array.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::cpu;
use crate::cuda;
use crate::error::Result;
use crate::memory::Use;
use crate::sync::Mutex;

/// A stream of either backend: the unit of ordering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Cpu(Arc<cpu::Stream>),
    Cuda(Arc<cuda::Stream>),
}

impl Lane {
    /// Returns how many times the stream has been reused from the pool.
    fn tenancy(&self) -> u64 {
        match self {
            Lane::Cpu(stream) => stream.tenancy(),
            Lane::Cuda(stream) => stream.tenancy(),
        }
    }

    /// Returns the pending fault of a completed operation, if any, and clears it.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        match self {
            Lane::Cpu(stream) => stream.give_out_fault(),
            Lane::Cuda(stream) => stream.give_out_fault(),
        }
    }
}

/// A stream together with the generation in which it was acquired. A stream without handles returns to the pool and is
/// reused, and faults that occur for a later holder must not be reported through arrays and events of an earlier one.
///
/// Equality compares the streams only: the stream orders its work regardless of its holder.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    lane: Lane,
    tenancy: u64,
}

impl Tenant {
    /// Captures the current generation of the stream.
    pub(crate) fn of(lane: Lane) -> Tenant {
        let tenancy = lane.tenancy();
        Tenant { lane, tenancy }
    }

    pub(crate) fn lane(&self) -> &Lane {
        &self.lane
    }

    /// Returns whether the stream has not been reused since.
    pub(crate) fn is_current(&self) -> bool {
        self.lane.tenancy() == self.tenancy
    }

    /// Returns the pending fault of a completed operation, if any, and clears it. Returns `Ok` if the stream has been
    /// reused since: it is only reused once no fault is pending.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        if self.is_current() { self.lane.give_out_fault() } else { Ok(()) }
    }
}

impl PartialEq for Tenant {
    fn eq(&self, other: &Tenant) -> bool {
        self.lane == other.lane
    }
}

impl Eq for Tenant {}

/// The bytes of an allocation that an operation accesses, and whether it writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) bytes: Range<usize>,
    pub(crate) writes: bool,
}

impl Touch {
    /// Returns whether two accesses to the same allocation form a hazard: they overlap and at least one of them writes.
    pub(crate) fn conflicts(&self, other: &Touch) -> bool {
        (self.writes || other.writes) && self.meets(&other.bytes)
    }

    /// Returns whether the access overlaps a byte range.
    fn meets(&self, bytes: &Range<usize>) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

/// The operations to wait for: at most one per stream, identified by its sequence number.
type Before = SmallVec<[(Arc<cuda::Stream>, u64); 4]>;

/// The recorded accesses to an allocation.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<List<Tenant>>);

impl Uses {
    /// Records a completed operation of the CPU device. Only the stream matters, for its pending fault.
    pub(crate) fn note_on_cpu(&self, stream: &Arc<cpu::Stream>, bytes: Range<usize>, writes: bool) {
        let noted = Noted { lane: Tenant::of(Lane::Cpu(stream.clone())), mark: 0, touch: Touch { bytes, writes } };
        self.with(|list| list.note(noted));
    }

    /// Returns the streams that wrote any of these bytes, the most recent writer first.
    pub(crate) fn writers(&self, bytes: &Range<usize>) -> SmallVec<[Tenant; 2]> {
        self.with(|list| list.writers(bytes))
    }

    /// Returns the stream with the most recent access among those that satisfy `wanted`.
    pub(crate) fn last(&self, wanted: impl Fn(&Tenant) -> bool) -> Option<Lane> {
        self.with(|list| {
            list.uses.iter().rev().map(|noted| &noted.lane).find(|tenant| wanted(tenant)).map(|it| it.lane().clone())
        })
    }

    /// Makes a stream wait for all recorded accesses that conflict with `touch`.
    pub(crate) fn wait(&self, stream: &cuda::Stream, touch: &Touch) -> Result<()> {
        let mut before = Before::new();
        self.collect(stream, touch, &mut before);
        wait_for(stream, &before)
    }

    /// Collects, per stream, the last operation that an operation on `own` depends on.
    fn collect(&self, own: &cuda::Stream, touch: &Touch, before: &mut Before) {
        self.with(|list| {
            for noted in list.before(touch) {
                let Lane::Cuda(stream) = noted.lane.lane() else { continue }; // operations on the CPU have completed
                if **stream == *own {
                    continue; // ordered by the stream itself
                }
                match before.iter_mut().find(|(other, _)| other == stream) {
                    Some((_, mark)) => *mark = noted.mark.max(*mark),
                    None => before.push((stream.clone(), noted.mark)),
                }
            }
        });
    }

    fn with<R>(&self, f: impl FnOnce(&mut List<Tenant>) -> R) -> R {
        f(&mut self.0.lock())
    }
}

/// Enqueues an operation on `stream` after everything that it depends on, and records its accesses.
///
/// # Errors
///
/// The errors of `work`, or a CUDA driver error.
#[inline]
pub(crate) fn ordered<R>(stream: &Arc<cuda::Stream>, uses: &[Use<'_>], work: impl FnOnce() -> Result<R>) -> Result<R> {
    let several = stream.has_company();
    if several {
        wait(stream, uses)?;
    }
    let result = work();
    // Even if it failed: part of the work may have been enqueued.
    if several || stream.has_company() {
        note(stream, uses)?;
    }
    result
}

#[cold]
fn wait(stream: &cuda::Stream, uses: &[Use<'_>]) -> Result<()> {
    let mut before = Before::new();
    for used in uses {
        used.memory.uses().collect(stream, &used.touch(), &mut before);
    }
    wait_for(stream, &before)
}

fn wait_for(stream: &cuda::Stream, before: &Before) -> Result<()> {
    before.iter().try_for_each(|(other, mark)| Ok(stream.wait_for(other, *mark)?))
}

/// Records accesses by the operation that was enqueued on the stream last.
#[cold]
pub(crate) fn note(stream: &Arc<cuda::Stream>, uses: &[Use<'_>]) -> Result<()> {
    if uses.iter().all(|used| used.bytes.is_empty()) {
        return Ok(());
    }
    let Ok(mark) = stream.mark() else {
        // Other streams cannot wait without an event, so the operation has to complete now.
        return Ok(stream.wait()?);
    };
    for used in uses {
        let noted = Noted { lane: Tenant::of(Lane::Cuda(stream.clone())), mark, touch: used.touch() };
        used.memory.uses().with(|list| list.note(noted));
    }
    Ok(())
}

/// A recorded access to some bytes of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Noted<L> {
    lane: L,
    /// The sequence number of the operation on its stream.
    mark: u64,
    touch: Touch,
}

/// The number of records above which the records of each stream are merged.
const KEPT: usize = 256;

/// The accesses to an allocation that later operations may depend on, in the order of recording.
#[derive(Debug)]
struct List<L> {
    uses: SmallVec<[Noted<L>; 1]>,
}

impl<L> Default for List<L> {
    fn default() -> Self {
        List { uses: SmallVec::new() }
    }
}

impl<L: Clone + PartialEq> List<L> {
    /// Returns the recorded accesses that conflict with a new one.
    fn before(&self, touch: &Touch) -> impl Iterator<Item = &Noted<L>> {
        self.uses.iter().filter(move |noted| noted.touch.conflicts(touch))
    }

    fn writers(&self, bytes: &Range<usize>) -> SmallVec<[L; 2]> {
        let mut writers = SmallVec::new();
        for noted in self.uses.iter().rev().filter(|noted| noted.touch.writes && noted.touch.meets(bytes)) {
            if !writers.contains(&noted.lane) {
                writers.push(noted.lane.clone());
            }
        }
        writers
    }

    /// Records an access that has waited for everything it depends on.
    fn note(&mut self, new: Noted<L>) {
        if new.touch.bytes.is_empty() {
            return;
        }
        // Fast path: a single stream uses the memory.
        if let [only] = &mut self.uses[..]
            && makes_up_for(&new, only)
        {
            *only = new;
            return;
        }
        self.uses.retain(|old| !makes_up_for(&new, old));
        self.uses.push(new);
        if self.uses.len() > KEPT {
            self.thin_out();
        }
    }

    /// Merges the reads of each stream, and the writes of each stream, into one record each. Waiting for the merged
    /// record waits for the last of them.
    fn thin_out(&mut self) {
        let mut kept: SmallVec<[Noted<L>; 1]> = SmallVec::new();
        for noted in self.uses.drain(..) {
            let is_alike = |other: &Noted<L>| other.lane == noted.lane && other.touch.writes == noted.touch.writes;
            match kept.iter().position(is_alike) {
                Some(position) => {
                    // Moved to the end: the merged record is as recent as its last access.
                    let mut merged = kept.remove(position);
                    let (all, new) = (&mut merged.touch.bytes, noted.touch.bytes);
                    *all = all.start.min(new.start)..all.end.max(new.end);
                    merged.mark = merged.mark.max(noted.mark);
                    // The latest generation of the stream holds the pending fault.
                    merged.lane = noted.lane;
                    kept.push(merged);
                }
                None => kept.push(noted),
            }
        }
        self.uses = kept;
    }
}

/// Returns whether `new` supersedes `old`: it waited for `old`, or comes later on the same stream, and every access
/// that conflicts with `old` also conflicts with `new`.
fn makes_up_for<L: PartialEq>(new: &Noted<L>, old: &Noted<L>) -> bool {
    let (all, part) = (&new.touch.bytes, &old.touch.bytes);
    let contains = all.start <= part.start && part.end <= all.end;
    contains && (new.touch.writes || !old.touch.writes && new.lane == old.lane && new.mark >= old.mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: bool = false;
    const WRITE: bool = true;

    fn list(uses: &[(char, u64, Range<usize>, bool)]) -> List<char> {
        let mut list = List::default();
        for (lane, mark, bytes, writes) in uses {
            list.note(Noted { lane: *lane, mark: *mark, touch: Touch { bytes: bytes.clone(), writes: *writes } });
        }
        list
    }

    /// Checks the operations that an access to these bytes depends on.
    #[track_caller]
    fn check(list: &List<char>, bytes: Range<usize>, writes: bool, expected: &[(char, u64)]) {
        let before: Vec<_> = list.before(&Touch { bytes, writes }).map(|noted| (noted.lane, noted.mark)).collect();
        assert_eq!(before, expected, "{list:?}");
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
        assert_eq!(list.uses.len(), 1);
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
        assert!(list.uses.len() <= KEPT);
        for (lane, mark, bytes, _) in uses {
            assert!(list.before(&Touch { bytes, writes: READ }).any(|noted| noted.lane == lane && noted.mark >= mark));
        }
    }

    /// An operation with a vector clock: the last operation of each stream that happens before it or is itself.
    struct Done {
        lane: usize,
        mark: u64,
        touch: Touch,
        behind: [u64; 4],
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
            let mut list = List::default();
            let mut marks = [0u64; 4];
            let mut done: Vec<Done> = Vec::new();
            let mut behind = [[0u64; 4]; 4];
            for _ in 0..400 {
                let (lane, start, writes) = (random(4), random(24), random(3) == 0);
                let touch = Touch { bytes: start..start + 1 + random(8), writes };
                for noted in list.before(&touch) {
                    let of = done.iter().find(|done| done.lane == noted.lane && done.mark == noted.mark).unwrap();
                    for (mine, theirs) in behind[lane].iter_mut().zip(of.behind) {
                        *mine = (*mine).max(theirs);
                    }
                }
                for other in &done {
                    if other.touch.conflicts(&touch) && other.lane != lane {
                        let Done { lane: of, mark, .. } = *other;
                        assert!(behind[lane][of] >= mark, "no dependency on operation {mark} of stream {of}");
                    }
                }
                marks[lane] += 1;
                behind[lane][lane] = marks[lane];
                done.push(Done { lane, mark: marks[lane], touch: touch.clone(), behind: behind[lane] });
                list.note(Noted { lane, mark: marks[lane], touch });
            }
        }
    }
}
