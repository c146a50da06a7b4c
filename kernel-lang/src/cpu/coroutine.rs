//! Cooperative scheduling of a block's threads as coroutines, for kernels whose threads synchronise.
//!
//! Each thread has its own stack and runs until it blocks or ends. A scheduling turn resumes each ready thread once.
//! Blocked threads are recorded in the [`BlockState`]; the last thread to arrive at a synchronisation point makes the
//! others ready. If no thread is ready, the block is deadlocked, which is a fault: nothing hangs. A thread that spins
//! on memory yields, so that the thread whose write it waits for can run.
//!
//! # Barriers and exited threads
//!
//! Since Volta a barrier of the block "will not succeed until reached by all non-exited threads in the block" (CUDA C++
//! Programming Guide, "Independent Thread Scheduling"), and `__syncthreads()` "is allowed in conditional code but only
//! if the conditional evaluates identically across the entire thread block". PTX agrees: `bar.sync` is
//! `barrier.sync.aligned`, which is undefined if only some threads of a warp execute it. So barriers do not wait for a
//! thread that left the kernel by `return` or by a fault; but a thread that reached the end of the body has skipped the
//! barrier at which others wait, which is a [`FaultKind::Deadlock`]. A grid barrier waits for every thread: blocks wait
//! for each other there, and a block with exited threads never arrives.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::cpu::Location;
use crate::cpu::block::{BlockGeometry, BlockMemory};
use crate::cpu::body::Body;
use crate::cpu::context::Cx;
use crate::cpu::fault::{self, Fault};
use crate::cpu::stack_overflow::RunningThread;
use crate::cpu::stack_pool::{WorkerStacks, guard_of};
use crate::cpu::wait::{Missing, Scope, Wait, deadlock};
use crate::cpu::warp::{self, Warp};
use crate::fault::FaultKind;

/// The number of failed polls of memory after which a thread yields. Switching stacks costs about as much as ten polls,
/// and most kernels never poll as often.
const SPIN_LIMIT: u32 = 64;

/// The scheduling state of a block, shared by its threads.
struct BlockState {
    geometry: BlockGeometry,
    memory: BlockMemory,
    /// The ready threads, one bit each.
    ready: Box<[Cell<u64>]>,
    /// The wait of each blocked thread, on that thread's stack; for other threads, their last wait.
    waits: Box<[Cell<*const Wait>]>,
    warps: Box<[RefCell<Warp>]>,
    /// The number of threads that have not ended.
    alive: Cell<u32>,
    /// The address of the guard page of each thread's stack.
    guards: Box<[Cell<usize>]>,
    /// How each thread ended.
    ends: Box<[Cell<Option<End>>]>,
    /// The number of threads that reached the end of the body: no barrier of the block succeeds without them.
    finished: Cell<u32>,
    barrier: Barrier,
    /// The number of threads that wait at the grid barrier.
    at_grid: Cell<u32>,
    /// The pending `active_mask` requests.
    active_mask_requests: RefCell<Vec<ActiveMaskRequest>>,
    /// The threads that only spun in this turn, one bit each. They are ready.
    spinning: Box<[Cell<u64>]>,
}

/// The state of the block's barrier.
#[derive(Default)]
struct Barrier {
    /// The number of threads that wait.
    arrived: Cell<u32>,
    /// The number of waiting threads whose predicate is true.
    holds: Cell<u32>,
    /// The location of the first thread's wait.
    at: Cell<Option<&'static Location>>,
    /// Whether threads wait at different locations.
    mixed: Cell<bool>,
    /// The result of the last barrier. The next barrier cannot overwrite it before every thread has read it.
    vote: Cell<VoteCount>,
}

/// The number of threads at a barrier whose predicate is true, and the number of threads.
#[derive(Clone, Copy, Default)]
pub struct VoteCount {
    pub holds: u32,
    pub threads: u32,
}

/// A lane that waits for the result of `active_mask`.
struct ActiveMaskRequest {
    thread: usize,
    at: &'static Location,
    /// The destination of the result, on the lane's stack.
    result: *const Cell<u32>,
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By a `return` from the kernel.
    Returned,
    /// At the end of the kernel's body.
    Finished,
    /// By a fault.
    Faulted,
}

/// The state of a block after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockProgress {
    /// Some thread is ready.
    Progressing,
    /// All ready threads are spinning on memory: what they wait for may depend on another block.
    Spinning,
    /// All threads wait at the grid barrier.
    AtGridBarrier,
    /// No thread is ready, and not all wait at the grid barrier.
    Deadlocked,
    /// All threads have ended.
    Ended,
}

impl BlockState {
    fn new(geometry: BlockGeometry, shared_bytes: usize) -> BlockState {
        let threads = geometry.block_dim.count() as usize;
        let lanes = |warp: usize| u32::MAX >> (warp::SIZE - (threads - warp * warp::SIZE).min(warp::SIZE));
        let all = |word: usize| u64::MAX >> (64 - (threads - word * 64).min(64));
        let words = threads.div_ceil(64);
        BlockState {
            geometry,
            memory: BlockMemory::new(shared_bytes),
            ready: (0..words).map(|word| Cell::new(all(word))).collect(),
            waits: (0..threads).map(|_| Cell::new(std::ptr::null())).collect(),
            warps: (0..threads.div_ceil(warp::SIZE)).map(|warp| RefCell::new(Warp::new(lanes(warp)))).collect(),
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
    fn release_lanes(&self, warp: usize, lanes: u32) {
        let word = &self.ready[warp / 2];
        word.set(word.get() | u64::from(lanes) << (warp % 2 * warp::SIZE));
    }

    /// Makes every thread ready that has not ended.
    fn release_all(&self) {
        for (number, warp) in self.warps.iter().enumerate() {
            self.release_lanes(number, warp.borrow().alive());
        }
    }

    /// Returns whether a lane of the warp is ready and not spinning.
    fn is_progressing(&self, warp: usize) -> bool {
        let progressing = self.ready[warp / 2].get() & !self.spinning[warp / 2].get();
        (progressing >> (warp % 2 * warp::SIZE)) as u32 != 0
    }

    /// Releases the threads at the barrier if all have arrived. Threads at different barriers stay blocked, as do those
    /// at a barrier that another thread has skipped.
    fn release_barrier(&self) -> bool {
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
    fn resolve_active_masks(&self) {
        let mut requests = self.active_mask_requests.borrow_mut();
        if requests.is_empty() {
            return;
        }
        let resolved: Vec<_> =
            requests.extract_if(.., |request| !self.is_progressing(request.thread / warp::SIZE)).collect();
        for request in &resolved {
            let warp = request.thread / warp::SIZE;
            let converged = resolved.iter().filter(|other| other.thread / warp::SIZE == warp && other.at == request.at);
            let lanes = converged.fold(0, |mask, other| mask | 1 << (other.thread % warp::SIZE));
            // SAFETY: the requesting lane is still blocked, so its result is live.
            unsafe { &*request.result }.set(lanes);
            self.release_lanes(warp, 1 << (request.thread % warp::SIZE));
        }
    }

    /// Records that a thread has ended, and releases threads that waited only for it.
    fn end(&self, thread: usize, end: End) {
        let (warp, lane) = (thread / warp::SIZE, (thread % warp::SIZE) as u32);
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
    unsafe fn wait_of(&self, thread: usize, ended_blocks: u64) -> (Wait, Missing) {
        // SAFETY: the thread is suspended in `CoroutineHandle::wait`, whose argument the pointer refers to.
        let wait = unsafe { *self.waits[thread].get() };
        let lane = (thread % warp::SIZE) as u32;
        let missing = match wait.scope {
            Scope::Lanes(mask) => {
                Missing { lanes: self.warps[thread / warp::SIZE].borrow().missing(lane, mask), ..Missing::NONE }
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

/// A thread of a block, as its body sees it.
pub struct CoroutineHandle<'k> {
    block: &'k BlockState,
    yielder: &'k Yielder<(), ()>,
    thread: usize,
    /// The number of failed polls that remain before the thread yields.
    spins_left: Cell<u32>,
    /// Whether the thread is leaving the kernel by a `return`.
    returning: Cell<bool>,
}

impl CoroutineHandle<'_> {
    /// Suspends the thread until another thread makes it ready.
    fn wait(&self, wait: &Wait) {
        self.block.waits[self.thread].set(wait);
        self.yielder.suspend(());
        self.spins_left.set(SPIN_LIMIT);
    }

    /// Waits until all threads of the block that have not ended have arrived. Returns the number of predicates that are
    /// true.
    pub fn barrier(&self, at: &'static Location, operation: &'static str, holds: bool) -> VoteCount {
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
    pub fn grid_barrier(&self, at: &'static Location, operation: &'static str) {
        self.block.at_grid.update(|waiting| waiting + 1);
        self.wait(&Wait { operation, at, scope: Scope::Grid });
    }

    /// Arrives at an exchange among lanes of the warp. `arrive` returns the lanes to release once all have arrived.
    pub fn exchange(
        &self,
        at: &'static Location,
        operation: &'static str,
        mask: u32,
        arrive: impl FnOnce(&mut Warp) -> Option<u32>,
    ) {
        let warp = self.thread / warp::SIZE;
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
    pub fn active_mask(&self, at: &'static Location, operation: &'static str) -> u32 {
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
    pub fn spin(&self, at: &'static Location, operation: &'static str) {
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

    /// Returns how a thread that has come to the end of its function ended.
    fn end(&self) -> End {
        if self.returning.get() { End::Returned } else { End::Finished }
    }
}

/// A coroutine with its stack.
type Thread = Coroutine<(), (), End, DefaultStack>;

/// A block whose threads are coroutines.
pub(super) struct Block<'b> {
    /// By thread number; `None` for those that have ended. They unwind when they are dropped.
    threads: Box<[Option<Thread>]>,
    state: Rc<BlockState>,
    body: PhantomData<&'b ()>,
}

impl<'b> Block<'b> {
    /// Creates a block whose threads have not started. `stacks` must hold a stack for each of them.
    pub(super) fn new(
        geometry: BlockGeometry,
        shared_bytes: usize,
        stacks: &mut WorkerStacks,
        body: &'b dyn Body,
    ) -> Block<'b> {
        let state = Rc::new(BlockState::new(geometry, shared_bytes));
        let mut threads = Vec::with_capacity(state.waits.len());
        geometry.block_dim.for_each_position(|index| {
            let stack = stacks.take().expect("the caller has reserved the stacks");
            state.guards[threads.len()].set(guard_of(&stack));
            let (state, thread) = (Rc::clone(&state), threads.len());
            let run = move |yielder: &Yielder<(), ()>, ()| {
                let (spins_left, returning) = (Cell::new(SPIN_LIMIT), Cell::new(false));
                let coroutine = CoroutineHandle { block: &state, yielder, thread, spins_left, returning };
                body.run(Cx::plain(state.geometry, index, &state.memory).with_coroutine(&coroutine));
                coroutine.end()
            };
            // SAFETY: the closure shares ownership of the state, and what `body` borrows outlives the block, which is
            // never forgotten: dropping it drops the coroutine.
            threads.push(Some(unsafe { Coroutine::with_stack_unchecked(stack, run) }));
        });
        Block { threads: threads.into(), state, body: PhantomData }
    }

    /// Returns the index of the block, and the dimensions of block and grid.
    pub(super) fn geometry(&self) -> BlockGeometry {
        self.state.geometry
    }

    /// Resumes each ready thread once. A thread that faults ends and is reported to `note`; the others continue.
    pub(super) fn turn(
        &mut self,
        stacks: &mut WorkerStacks,
        running: &RunningThread,
        note: &mut dyn FnMut(usize, Fault),
    ) -> BlockProgress {
        let Block { threads, state, body: _ } = self;
        let mut resumed = 0;
        let current = Cell::new(0);
        running.set_block(state.geometry);
        for (word, ready) in state.ready.iter().enumerate() {
            let now = Cell::new(ready.take());
            // A panic in a coroutine propagates out of `resume`: that thread has ended, and those after it still run.
            while let Err(fault) = fault::catch(|| {
                while now.get() != 0 {
                    let number = word * 64 + now.get().trailing_zeros() as usize;
                    now.set(now.get() & (now.get() - 1));
                    resumed += 1;
                    current.set(number);
                    resume(number, &mut threads[number], stacks, running, state);
                }
            }) {
                let number = current.get();
                if let Some(coroutine) = threads[number].take() {
                    stacks.put(coroutine.into_stack());
                }
                state.end(number, End::Faulted);
                note(number, fault);
            }
        }
        state.resolve_active_masks();
        let spun: u32 = state.spinning.iter().map(|word| word.take().count_ones()).sum();
        if state.alive.get() == 0 {
            return BlockProgress::Ended;
        }
        if state.ready.iter().any(|ready| ready.get() != 0) {
            return if spun < resumed { BlockProgress::Progressing } else { BlockProgress::Spinning };
        }
        if state.at_grid.get() == state.alive.get() { BlockProgress::AtGridBarrier } else { BlockProgress::Deadlocked }
    }

    /// Returns whether a thread has ended without a fault, so that the block never arrives at another grid barrier.
    pub(super) fn has_exited_threads(&self) -> bool {
        self.state.ends.iter().any(|end| matches!(end.get(), Some(End::Returned | End::Finished)))
    }

    /// Makes the threads ready that wait at the grid barrier.
    pub(super) fn release_grid_barrier(&mut self) {
        self.state.at_grid.set(0);
        self.state.release_all();
    }

    /// Returns the deadlock fault of a block without ready threads, and the number of its first blocked thread. At a
    /// grid barrier, `ended_blocks` is the number of blocks that have ended without arriving.
    pub(super) fn deadlock(&self, ended_blocks: u64) -> (usize, Fault) {
        let alive = (0..self.threads.len()).filter(|&thread| self.threads[thread].is_some());
        // SAFETY: no thread is ready, so that those that have not ended are blocked.
        let waits: Vec<_> = alive.map(|thread| (thread, unsafe { self.state.wait_of(thread, ended_blocks) })).collect();
        let &(thread, (Wait { at, .. }, _)) = waits.first().expect("a deadlocked block has a blocked thread");
        let &Location { file, line, column, id: _ } = at;
        let kind = deadlock(waits.into_iter().map(|(_, wait)| wait));
        (thread, Fault { file: file.to_owned(), line, column, kind })
    }
}

/// Resumes a thread, and releases its stack if it ends.
fn resume(
    number: usize,
    thread: &mut Option<Thread>,
    stacks: &mut WorkerStacks,
    running: &RunningThread,
    state: &BlockState,
) {
    let Some(coroutine) = thread else { return };
    running.set_thread_on_stack(number, state.guards[number].get());
    match coroutine.resume(()) {
        CoroutineResult::Yield(()) => {}
        CoroutineResult::Return(end) => {
            if let Some(coroutine) = thread.take() {
                stacks.put(coroutine.into_stack());
            }
            state.end(number, end);
        }
    }
}

/// Returns the fault of a grid whose stacks could not be allocated.
pub(super) fn no_stacks(error: &std::io::Error) -> Fault {
    Fault { file: String::from("the CPU device"), line: 0, column: 0, kind: FaultKind::NoStack(error.kind()) }
}

// All of these are inlined, so that only the coroutine handle is read: a `Cx` is large.
impl Cx<'_> {
    /// Returns the thread's number in its block, `x` fastest.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.geometry().block_dim.number(self.thread())
    }

    /// Waits until all threads of the block that have not ended have arrived. Returns the number of predicates that are
    /// true.
    ///
    /// A thread that is not a coroutine is the only one that the barrier waits for.
    #[inline(always)]
    pub fn barrier(self, at: &'static Location, operation: &'static str, holds: bool) -> VoteCount {
        match self.coroutine() {
            Some(coroutine) => coroutine.barrier(at, operation, holds),
            None => VoteCount { holds: holds.into(), threads: 1 },
        }
    }

    /// Waits until all threads of the grid have arrived.
    #[inline(always)]
    pub fn grid_barrier(self, at: &'static Location, operation: &'static str) {
        if let Some(coroutine) = self.coroutine() {
            coroutine.grid_barrier(at, operation);
        }
    }

    /// Returns the value of a `return` from the kernel, and records that the thread exits by it: barriers do not wait
    /// for it.
    #[inline(always)]
    pub fn returning<T>(self, value: T) -> T {
        if let Some(coroutine) = self.coroutine() {
            coroutine.returning.set(true);
        }
        value
    }

    /// Returns the mask of the lanes of the warp that are converged with this one.
    #[inline(always)]
    pub fn active_mask(self, at: &'static Location, operation: &'static str) -> u32 {
        self.coroutine().map_or(1 << self.lane(), |coroutine| coroutine.active_mask(at, operation))
    }

    /// Counts a failed poll of memory, after which the thread may have to yield to the thread that writes the value.
    #[inline(always)]
    pub fn spin(self, at: &'static Location, operation: &'static str) {
        if let Some(coroutine) = self.coroutine() {
            coroutine.spin(at, operation);
        }
    }
}
