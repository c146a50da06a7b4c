//! The recorded accesses to an allocation that later operations may depend on.

use std::ops::Range;

use smallvec::SmallVec;

/// The bytes of an allocation that an operation accesses, and whether it writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoryAccess {
    pub(crate) bytes: Range<usize>,
    pub(crate) writes: bool,
}

impl MemoryAccess {
    /// Returns whether two accesses to the same allocation form a hazard: they overlap and at least one of them writes.
    pub(crate) fn conflicts(&self, other: &MemoryAccess) -> bool {
        (self.writes || other.writes) && self.overlaps(&other.bytes)
    }

    /// Returns whether the access overlaps a byte range.
    fn overlaps(&self, bytes: &Range<usize>) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

/// A recorded access to some bytes of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedAccess<S> {
    pub(super) stream: S,
    /// The sequence number of the operation on its stream.
    pub(super) sequence: u64,
    pub(super) access: MemoryAccess,
}

/// The number of records above which the records of each stream are merged.
const MAX_RECORDS: usize = 256;

/// The accesses to an allocation that later operations may depend on, in the order of recording.
#[derive(Debug)]
pub(super) struct RecordList<S> {
    records: SmallVec<[RecordedAccess<S>; 1]>,
}

impl<S> Default for RecordList<S> {
    fn default() -> Self {
        RecordList { records: SmallVec::new() }
    }
}

impl<S: Clone + PartialEq> RecordList<S> {
    /// Returns the recorded accesses that conflict with a new one.
    pub(super) fn conflicting(&self, access: &MemoryAccess) -> impl Iterator<Item = &RecordedAccess<S>> {
        self.records.iter().filter(move |recorded| recorded.access.conflicts(access))
    }

    /// Returns the streams that wrote any of these bytes, the most recent writer first.
    pub(super) fn writers(&self, bytes: &Range<usize>) -> SmallVec<[S; 2]> {
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

    /// Returns the streams of the records, the most recent first.
    pub(super) fn streams(&self) -> impl Iterator<Item = &S> {
        self.records.iter().rev().map(|recorded| &recorded.stream)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &RecordedAccess<S>> {
        self.records.iter()
    }

    /// Discards the records that do not satisfy `keep`.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&RecordedAccess<S>) -> bool) {
        self.records.retain(|recorded| keep(recorded));
    }

    /// Records an access that has waited for everything it depends on.
    pub(super) fn record(&mut self, new: RecordedAccess<S>) {
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
                access: MemoryAccess { bytes: bytes.clone(), writes: *writes },
            });
        }
        list
    }

    /// Checks the operations that an access to these bytes depends on.
    #[track_caller]
    fn check(list: &RecordList<char>, bytes: Range<usize>, writes: bool, expected: &[(char, u64)]) {
        let dependencies: Vec<_> = list
            .conflicting(&MemoryAccess { bytes, writes })
            .map(|recorded| (recorded.stream, recorded.sequence))
            .collect();
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
                list.conflicting(&MemoryAccess { bytes, writes: READ })
                    .any(|recorded| recorded.stream == stream && recorded.sequence >= sequence)
            );
        }
    }

    /// An operation with a vector clock: the last operation of each stream that happens before it or is itself.
    struct Completed {
        stream: usize,
        sequence: u64,
        access: MemoryAccess,
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
                let access = MemoryAccess { bytes: start..start + 1 + random(8), writes };
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
