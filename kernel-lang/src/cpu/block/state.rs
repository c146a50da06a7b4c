//! The scheduling state of a block whose threads are coroutines.

use std::cell::{Cell, RefCell};

use crate::cpu::block::wait::{Missing, Scope, Wait};
use crate::cpu::block::warp::{WARP_SIZE, Warp};
use crate::cpu::block::{BlockGeometry, BlockMemory};
use crate::cpu::location::Location;

/// The scheduling state of a block, shared by its threads.
pub(crate) struct BlockState {
    pub geometry: BlockGeometry,
    pub memory: BlockMemory,
    /// The ready threads, one bit each.
    pub ready: Box<[Cell<u64>]>,
    /// The wait of each blocked thread, on that thread's stack; for other threads, their last wait.
    pub waits: Box<[Cell<*const Wait>]>,
    pub warps: Box<[RefCell<Warp>]>,
    /// The number of threads that have not ended.
    pub alive: Cell<u32>,
    /// The address of the guard page of each thread's stack.
    pub guards: Box<[Cell<usize>]>,
    /// How each thread ended.
    pub ends: Box<[Cell<Option<End>>]>,
    /// The number of threads that reached the end of the body: no barrier of the block succeeds without them.
    pub finished: Cell<u32>,
    pub barrier: Barrier,
    /// The number of threads that wait at the grid barrier.
    pub at_grid: Cell<u32>,
    /// The pending `active_mask` requests.
    pub active_mask_requests: RefCell<Vec<ActiveMaskRequest>>,
    /// The threads that only spun in this turn, one bit each. They are ready.
    pub spinning: Box<[Cell<u64>]>,
}

/// The state of the block's barrier.
#[derive(Default)]
pub(crate) struct Barrier {
    /// The number of threads that wait.
    pub arrived: Cell<u32>,
    /// The number of waiting threads whose predicate is true.
    pub holds: Cell<u32>,
    /// The location of the first thread's wait.
    pub at: Cell<Option<&'static Location>>,
    /// Whether threads wait at different locations.
    pub mixed: Cell<bool>,
    /// The result of the last barrier. The next barrier cannot overwrite it before every thread has read it.
    pub vote: Cell<VoteCount>,
}

/// The number of threads at a barrier whose predicate is true, and the number of threads.
#[derive(Clone, Copy, Default)]
pub(crate) struct VoteCount {
    pub holds: u32,
    pub threads: u32,
}

/// A lane that waits for the result of `active_mask`.
pub(crate) struct ActiveMaskRequest {
    pub thread: usize,
    pub at: &'static Location,
    /// The destination of the result, on the lane's stack.
    pub result: *const Cell<u32>,
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By a `return` from the kernel.
    Returned,
    /// At the end of the kernel's body.
    Finished,
    /// By a fault.
    Faulted,
}

impl BlockState {
    pub(crate) fn new(geometry: BlockGeometry, shared_bytes: usize) -> BlockState {
        let threads = geometry.block_dim.count() as usize;
        let lanes = |warp: usize| u32::MAX >> (WARP_SIZE - (threads - warp * WARP_SIZE).min(WARP_SIZE));
        let all = |word: usize| u64::MAX >> (64 - (threads - word * 64).min(64));
        let words = threads.div_ceil(64);
        BlockState {
            geometry,
            memory: BlockMemory::new(shared_bytes),
            ready: (0..words).map(|word| Cell::new(all(word))).collect(),
            waits: (0..threads).map(|_| Cell::new(std::ptr::null())).collect(),
            warps: (0..threads.div_ceil(WARP_SIZE)).map(|warp| RefCell::new(Warp::new(lanes(warp)))).collect(),
            alive: Cell::new(threads as u32),
            guards: (0..threads).map(|_| Cell::new(0)).collect(),
            ends: (0..threads).map(|_| Cell::new(None)).collect(),
            finished: Cell::new(0),
            barrier: Barrier::default(),
            at_grid: Cell::new(0),
            active_mask_requests: RefCell::default(),
            spinning: (0..words).map(|_| Cell::new(0)).collect(),
        }
    }

    /// Makes lanes of a warp ready.
    pub(crate) fn release_lanes(&self, warp: usize, lanes: u32) {
        let word = &self.ready[warp / 2];
        word.set(word.get() | u64::from(lanes) << (warp % 2 * WARP_SIZE));
    }

    /// Makes every thread ready that has not ended.
    pub(crate) fn release_all(&self) {
        for (number, warp) in self.warps.iter().enumerate() {
            self.release_lanes(number, warp.borrow().alive());
        }
    }

    /// Returns whether a lane of the warp is ready and not spinning.
    fn is_progressing(&self, warp: usize) -> bool {
        let progressing = self.ready[warp / 2].get() & !self.spinning[warp / 2].get();
        (progressing >> (warp % 2 * WARP_SIZE)) as u32 != 0
    }

    /// Releases the threads at the barrier if all have arrived. Threads at different barriers stay blocked, as do those
    /// at a barrier that another thread has skipped.
    pub(crate) fn release_barrier(&self) -> bool {
        let Barrier { arrived, holds, at, mixed, vote } = &self.barrier;
        if arrived.get() == 0 || arrived.get() < self.alive.get() || mixed.get() || self.finished.get() > 0 {
            return false;
        }
        vote.set(VoteCount { holds: holds.take(), threads: arrived.take() });
        at.set(None);
        self.release_all();
        true
    }

    /// Resolves the `active_mask` requests of warps in which no other lane is progressing.
    pub(crate) fn resolve_active_masks(&self) {
        let mut requests = self.active_mask_requests.borrow_mut();
        if requests.is_empty() {
            return;
        }
        let resolved: Vec<_> =
            requests.extract_if(.., |request| !self.is_progressing(request.thread / WARP_SIZE)).collect();
        for request in &resolved {
            let warp = request.thread / WARP_SIZE;
            let converged = resolved.iter().filter(|other| other.thread / WARP_SIZE == warp && other.at == request.at);
            let lanes = converged.fold(0, |mask, other| mask | 1 << (other.thread % WARP_SIZE));
            // SAFETY: the requesting lane is still blocked, so its result is live.
            unsafe { &*request.result }.set(lanes);
            self.release_lanes(warp, 1 << (request.thread % WARP_SIZE));
        }
    }

    /// Records that a thread has ended, and releases threads that waited only for it.
    pub(crate) fn end(&self, thread: usize, end: End) {
        let (warp, lane) = (thread / WARP_SIZE, (thread % WARP_SIZE) as u32);
        self.ends[thread].set(Some(end));
        self.finished.update(|finished| finished + u32::from(end == End::Finished));
        self.alive.update(|alive| alive - 1);
        let released = self.warps[warp].borrow_mut().end(lane);
        self.release_lanes(warp, released);
        self.release_barrier();
    }

    /// Returns the wait of a thread, and the absent threads that it waits for.
    ///
    /// # Safety
    ///
    /// The thread is blocked.
    pub(crate) unsafe fn wait_of(&self, thread: usize, ended_blocks: u64) -> (Wait, Missing) {
        // SAFETY: the thread is suspended in `CoroutineHandle::wait`, whose argument the pointer refers to.
        let wait = unsafe { *self.waits[thread].get() };
        let lane = (thread % WARP_SIZE) as u32;
        let missing = match wait.scope {
            Scope::Lanes(mask) => {
                Missing { lanes: self.warps[thread / WARP_SIZE].borrow().missing(lane, mask), ..Missing::NONE }
            }
            Scope::Block => self.ended_threads(|end| end == End::Finished),
            Scope::Grid => Missing {
                blocks: ended_blocks,
                ..self.ended_threads(|end| matches!(end, End::Finished | End::Returned))
            },
            Scope::Memory => Missing::NONE,
        };
        (wait, missing)
    }

    /// Returns the number and the first of the threads whose end satisfies `counts`.
    fn ended_threads(&self, counts: impl Fn(End) -> bool) -> Missing {
        let ended = || (0..self.ends.len()).filter(|&thread| self.ends[thread].get().is_some_and(&counts));
        let first = ended().next().map(|thread| self.geometry.block_dim.position(thread as u64));
        Missing { threads: ended().count(), first, ..Missing::NONE }
    }
}
