//! Turns: mutual exclusion of the operations on memory that a graph has reserved.

use smallvec::SmallVec;

use super::{Tracked, Use};
use crate::sync::{Mutex, MutexGuard};

/// The locks. Devices share them by their identities, so that graphs of different devices rarely wait for each other.
static TURNS: [Mutex<()>; LOCKS] = [const { Mutex::new(()) }; LOCKS];

const LOCKS: usize = 16;

/// The turn of an operation: no other operation on the reserved memory that it accesses is being enqueued.
pub(super) struct Turn {
    _locks: SmallVec<[MutexGuard<'static, ()>; 1]>,
}

impl Turn {
    /// Waits for the turn of an operation. An operation that accesses no reserved memory needs none.
    #[inline]
    pub(super) fn wait_for<M: Tracked>(uses: &[Use<'_, M>]) -> Option<Turn> {
        uses.iter().any(|used| used.memory.accesses().is_reserved()).then(|| Turn::lock(uses))
    }

    #[cold]
    fn lock<M: Tracked>(uses: &[Use<'_, M>]) -> Turn {
        let reserved = uses.iter().filter(|used| used.memory.accesses().is_reserved());
        let mut locks: SmallVec<[usize; 2]> = reserved.map(|used| used.memory.device_number() % LOCKS).collect();
        // In ascending order, so that two operations never wait for each other.
        locks.sort_unstable();
        locks.dedup();
        Turn { _locks: locks.into_iter().map(|lock| TURNS[lock].lock()).collect() }
    }
}
