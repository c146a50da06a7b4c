//! The stacks of threads that run as coroutines, kept for the next ones.
//!
//! A stack is two mappings of the process, the stack and its guard page, of which Linux grants 65,530 by default. So
//! there is a [`LIMIT`] for all launches of the process together, and a launch waits until it may use as many as it
//! needs at least.

use std::io;

use corosensei::stack::DefaultStack;

use crate::sync::{Condvar, Mutex, MutexGuard};

/// How many threads may be coroutines at one time: half of what Linux grants, since the process has other uses for it.
pub(crate) const LIMIT: usize = 16 * 1024;

/// Address space of a thread's stack. Pages are only taken when touched. A long kernel without optimisation needs a
/// place for each of its expressions: several hundred of them took more than 256 KiB.
const STACK_BYTES: usize = 1024 * 1024;

static POOL: Mutex<Pool> = Mutex::new(Pool { permitted: 0, free: Vec::new() });
static GIVEN_BACK: Condvar = Condvar::new();

struct Pool {
    /// How many stacks launches may use now.
    permitted: usize,
    /// Stacks of threads that ended. With those in use there are never more than [`LIMIT`].
    free: Vec<DefaultStack>,
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock()
}

/// The right to use some stacks at a time, for a whole launch. It ends when it is dropped.
pub(crate) struct Permit(usize);

impl Permit {
    /// A permit for `count` stacks, at most [`LIMIT`]; waits for launches that use too many.
    pub(crate) fn wait_for(count: usize) -> Permit {
        debug_assert!(count <= LIMIT, "a launch asks for no more than there can be");
        let mut pool = pool();
        while pool.permitted + count > LIMIT {
            pool = GIVEN_BACK.wait(pool);
        }
        pool.permitted += count;
        Permit(count)
    }

    /// A permit for `count` stacks, if so many may be used now.
    fn now(count: usize) -> Option<Permit> {
        let mut pool = pool();
        if pool.permitted + count > LIMIT {
            return None;
        }
        pool.permitted += count;
        Some(Permit(count))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        pool().permitted -= self.0;
        GIVEN_BACK.notify_all();
    }
}

/// The stacks that one worker has at hand. They go back to all when it is dropped.
pub(crate) struct Stacks {
    at_hand: Vec<DefaultStack>,
    /// For those at hand and those in use, unless the launch has a permit.
    permits: Option<Vec<Permit>>,
}

impl Stacks {
    /// No stacks yet. Those of a launch with a permit need no other.
    pub(crate) fn new(permitted: bool) -> Stacks {
        Stacks { at_hand: Vec::new(), permits: (!permitted).then(Vec::new) }
    }

    /// Sees that `count` stacks are at hand, and says whether they are: there may be none to be had now, unless the
    /// worker waits for them. It must not wait while it uses others.
    pub(crate) fn prepare(&mut self, count: usize, wait: bool) -> io::Result<bool> {
        let missing = count.saturating_sub(self.at_hand.len());
        if missing == 0 {
            return Ok(true);
        }
        if let Some(permits) = &mut self.permits {
            match if wait { Some(Permit::wait_for(missing)) } else { Permit::now(missing) } {
                Some(permit) => permits.push(permit),
                None => return Ok(false),
            }
        }
        let mut pool = pool();
        let rest = pool.free.len().saturating_sub(missing);
        self.at_hand.extend(pool.free.drain(rest..));
        drop(pool);
        while self.at_hand.len() < count {
            self.at_hand.push(DefaultStack::new(STACK_BYTES)?);
        }
        Ok(true)
    }

    /// One of them, if there is one.
    pub(crate) fn take(&mut self) -> Option<DefaultStack> {
        self.at_hand.pop()
    }

    /// The stack of a thread that ended.
    pub(crate) fn put(&mut self, stack: DefaultStack) {
        self.at_hand.push(stack);
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // Before the permits go: whoever gets them next finds the stacks.
        pool().free.append(&mut self.at_hand);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_used_again() {
        let mut stacks = Stacks::new(false);
        assert!(stacks.prepare(3, true).unwrap());
        let taken: Vec<_> = std::iter::from_fn(|| stacks.take()).collect();
        assert_eq!(taken.len(), 3);
        for stack in taken {
            stacks.put(stack);
        }
        assert!(stacks.prepare(2, true).unwrap());
        assert_eq!(std::iter::from_fn(|| stacks.take()).count(), 3);
    }

    #[test]
    fn a_permit_is_waited_for() {
        let all = Permit::wait_for(LIMIT);
        assert!(!Stacks::new(false).prepare(1, false).unwrap());
        assert!(Stacks::new(true).prepare(1, false).unwrap());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Stacks::new(false).prepare(1, true).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(5));
            drop(all);
            assert!(waiting.join().unwrap());
        });
    }
}
