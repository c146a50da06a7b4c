//! Verification of the fake driver's journal: each operation is ordered after all earlier ones that it has a hazard with.

use std::collections::HashMap;
use std::ops::Range;

use crate::fake::{Entry, Operation};

/// An access of an operation to elements of an array.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) array: usize,
    pub(crate) elements: Range<usize>,
    pub(crate) writes: bool,
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        self.array == other.array
            && (self.writes || other.writes)
            && self.elements.start < other.elements.end
            && other.elements.start < self.elements.end
    }
}

/// For each stream, the number of its operations that are ordered before a point.
type Clock = HashMap<i64, usize>;

fn merge(clock: &mut Clock, other: &Clock) {
    for (stream, number) in other {
        let known = clock.entry(*stream).or_default();
        *known = (*known).max(*number);
    }
}

/// An operation that was enqueued.
struct Enqueued {
    stream: i64,
    /// The number of the operation on its stream, from 1.
    number: usize,
    accesses: Vec<Access>,
}

/// Checks the order of all operations with hazards between them, and returns the number of these pairs on different streams.
/// `accesses` returns those of each operation, of its kind and with its identity, in the order of the journal.
///
/// # Errors
///
/// The numbers of the first two operations that are not ordered.
pub(crate) fn check(
    journal: &[Entry],
    mut accesses: impl FnMut(Operation, u32) -> Vec<Access>,
) -> Result<usize, (usize, usize)> {
    let mut clocks: HashMap<i64, Clock> = HashMap::new();
    let mut records: HashMap<i64, Clock> = HashMap::new();
    // What the host has waited for is ordered before everything that it enqueues later.
    let mut host = Clock::new();
    let mut enqueued: Vec<Enqueued> = Vec::new();
    let mut hazards = 0;
    for &entry in journal {
        match entry {
            Entry::Record { stream, record } => _ = records.insert(record, clocks.entry(stream).or_default().clone()),
            Entry::Wait { stream, record } => {
                if let Some(recorded) = records.get(&record) {
                    merge(clocks.entry(stream).or_default(), recorded);
                }
            }
            Entry::Synchronise { stream } => merge(&mut host, clocks.entry(stream).or_default()),
            Entry::Operation { stream, operation, identity } => {
                let clock = clocks.entry(stream).or_default();
                merge(clock, &host);
                let accesses = accesses(operation, identity);
                for (at, earlier) in enqueued.iter().enumerate().filter(|(_, earlier)| earlier.stream != stream) {
                    if accesses.iter().any(|mine| earlier.accesses.iter().any(|theirs| mine.conflicts(theirs))) {
                        hazards += 1;
                        if clock.get(&earlier.stream).is_none_or(|known| *known < earlier.number) {
                            return Err((at, enqueued.len()));
                        }
                    }
                }
                let number = clock.entry(stream).or_default();
                *number += 1;
                enqueued.push(Enqueued { stream, number: *number, accesses });
            }
        }
    }
    Ok(hazards)
}
