//! A thread that is a coroutine, as its body sees it.

use std::cell::Cell;

use corosensei::Yielder;

use crate::cpu::block::state::{ActiveMaskRequest, BlockState, End, VoteCount};
use crate::cpu::block::wait::{Scope, Wait};
use crate::cpu::block::warp::{WARP_SIZE, Warp};
use crate::cpu::location::Location;

/// The number of failed polls of memory after which a thread yields. Switching stacks costs about as much as ten polls,
/// and most kernels never poll as often.
const SPIN_LIMIT: u32 = 64;

/// A thread of a block, as its body sees it.
pub(crate) struct CoroutineHandle<'k> {
    block: &'k BlockState,
    yielder: &'k Yielder<(), ()>,
    thread: usize,
    /// The number of failed polls that remain before the thread yields.
    spins_left: Cell<u32>,
    /// Whether the thread is leaving the kernel by a `return`.
    returning: Cell<bool>,
}

impl<'k> CoroutineHandle<'k> {
    /// Creates the handle of thread number `thread`.
    pub(crate) fn new(block: &'k BlockState, yielder: &'k Yielder<(), ()>, thread: usize) -> Self {
        CoroutineHandle { block, yielder, thread, spins_left: Cell::new(SPIN_LIMIT), returning: Cell::new(false) }
    }

    /// Suspends the thread until another thread makes it ready.
    fn wait(&self, wait: &Wait) {
        self.block.waits[self.thread].set(wait);
        self.yielder.suspend(());
        self.spins_left.set(SPIN_LIMIT);
    }

    /// Waits until all threads of the block that have not ended have arrived. Returns the number of predicates that are
    /// true.
    pub(crate) fn barrier(&self, at: &'static Location, operation: &'static str, holds: bool) -> VoteCount {
        let barrier = &self.block.barrier;
        let arrived = barrier.arrived.get() + 1;
        barrier.arrived.set(arrived);
        barrier.holds.update(|number| number + u32::from(holds));
        match barrier.at.get() {
            Some(first) if std::ptr::eq(first, at) || first == at => {}
            Some(_) => barrier.mixed.set(true),
            None => barrier.at.set(Some(at)),
        }
        if arrived == self.block.alive.get() && self.block.release_barrier() {
            self.stay_running();
        } else {
            self.wait(&Wait { operation, at, scope: Scope::Block });
        }
        barrier.vote.get()
    }

    /// Waits until all threads of the grid have arrived.
    pub(crate) fn grid_barrier(&self, at: &'static Location, operation: &'static str) {
        self.block.at_grid.update(|waiting| waiting + 1);
        self.wait(&Wait { operation, at, scope: Scope::Grid });
    }

    /// Arrives at an exchange among lanes of the warp. `arrive` returns the lanes to release once all have arrived.
    pub(crate) fn exchange(
        &self,
        at: &'static Location,
        operation: &'static str,
        mask: u32,
        arrive: impl FnOnce(&mut Warp) -> Option<u32>,
    ) {
        let warp = self.thread / WARP_SIZE;
        let released = arrive(&mut self.block.warps[warp].borrow_mut());
        match released {
            Some(lanes) => {
                self.block.release_lanes(warp, lanes);
                self.stay_running();
            }
            None => self.wait(&Wait { operation, at, scope: Scope::Lanes(mask) }),
        }
    }

    /// Returns the mask of the lanes of the warp that are converged with this one.
    pub(crate) fn active_mask(&self, at: &'static Location, operation: &'static str) -> u32 {
        let result = Cell::new(0);
        let request = ActiveMaskRequest { thread: self.thread, at, result: &raw const result };
        self.block.active_mask_requests.borrow_mut().push(request);
        self.wait(&Wait { operation, at, scope: Scope::Memory });
        result.get()
    }

    /// Clears this thread's ready bit: as the last to arrive it was released with the others, but it is running.
    fn stay_running(&self) {
        let word = &self.block.ready[self.thread / 64];
        word.set(word.get() & !(1 << (self.thread % 64)));
    }

    /// Counts a failed poll of memory, and yields after [`SPIN_LIMIT`] of them: another thread may have to write the
    /// value.
    pub(crate) fn spin(&self, at: &'static Location, operation: &'static str) {
        let spins_left = self.spins_left.get();
        if spins_left > 0 {
            self.spins_left.set(spins_left - 1);
            return;
        }
        let word = &self.block.ready[self.thread / 64];
        word.set(word.get() | 1 << (self.thread % 64));
        let word = &self.block.spinning[self.thread / 64];
        word.set(word.get() | 1 << (self.thread % 64));
        self.wait(&Wait { operation, at, scope: Scope::Memory });
    }

    /// Records that the thread leaves the kernel by a `return`.
    #[inline(always)]
    pub(crate) fn mark_returning(&self) {
        self.returning.set(true);
    }

    /// Returns how a thread that has come to the end of its function ended.
    pub(crate) fn end(&self) -> End {
        if self.returning.get() { End::Returned } else { End::Finished }
    }
}
