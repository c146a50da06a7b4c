//! Execution of a grid: its blocks run in parallel, each on one thread of the pool.
//!
//! A block whose threads wait for another block does not occupy its worker: the worker starts the next block and
//! alternates between them. So all blocks of a grid can wait for each other, as long as there are stacks, whatever the
//! number of workers.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::cpu::block::{BlockGeometry, BlockMemory};
use crate::cpu::context::Cx;
use crate::cpu::executor::body::Body;
use crate::cpu::executor::coroutine::{Block, BlockProgress, no_stacks};
use crate::cpu::executor::stack_overflow::RunningThread;
use crate::cpu::executor::stack_pool::{self, OwnStack, Permit, StackSize, WorkerStacks};
use crate::cpu::fault::{self, Fault};
use crate::cpu::work_sharing;
use crate::dim::Dim3;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// The number of consecutive turns in which all of a worker's threads spin, before it starts another block.
const SPIN_LIMIT: u32 = 8;

/// The time for which all remaining threads may spin after a fault before they are ended: they most likely wait for the
/// thread that faulted. On a GPU they would wait forever.
const LIVELOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of claims per worker, if all are equally fast: the size of the last claim bounds how long the others
/// wait.
const CLAIMS_PER_WORKER: u64 = 16;

/// The maximum number of blocks of a claim.
const MAX_CLAIM_BLOCKS: u64 = 64;

/// The configuration of a grid.
#[derive(Clone, Copy, Debug)]
pub struct GridConfig {
    pub grid: Dim3,
    pub block: Dim3,
    /// The dynamic shared memory of each block, in bytes.
    pub shared_bytes: usize,
    /// Whether the threads of a block may wait for each other, so that they run concurrently, as coroutines.
    pub concurrent: bool,
    /// Whether all blocks are resident at the same time, and may wait for each other at a grid barrier. The grid has at
    /// most [`MAX_RESIDENT_THREADS`] threads.
    pub cooperative: bool,
    /// The size of a thread's stack frames in bytes, at most [`MAX_STACK_BYTES`].
    pub stack_bytes: u64,
    /// Whether the kernel calls host functions, the size of whose frames is unknown.
    pub calls_host_code: bool,
}

/// The maximum number of threads of a cooperative grid.
pub const MAX_RESIDENT_THREADS: usize = stack_pool::LIMIT;

/// The maximum size of a thread's stack frames, in bytes.
pub const MAX_STACK_BYTES: u64 = stack_pool::MAX_FRAME_BYTES;

/// A fault with the indices of its block and thread.
pub struct ThreadFault {
    pub block: Dim3,
    pub thread: Dim3,
    pub fault: Fault,
}

/// Runs `body`, of the kernel `kernel`, once for each thread of the grid. A thread that faults ends; all others run, as
/// on a GPU. Returns the fault of the lowest block, and of its faults the first, whatever the number of workers. In a
/// cooperative grid a fault can be the consequence of one in a later block, and the first fault is returned.
pub fn run(kernel: &'static str, config: GridConfig, body: &dyn Body) -> Option<ThreadFault> {
    fault::install_hook();
    let workers = (rayon::current_num_threads() as u64).min(config.grid.count()).max(1);
    // Dropped, and so flushed, after the execution, which has returned its stacks by then.
    let _output = config.concurrent.then(work_sharing::buffer_output);
    let execution = GridExecution::new(kernel, config, workers);
    let work = |first| {
        let ended = AbandonOnUnwind(&execution);
        if config.concurrent {
            execution.with_permit(|| Worker::new(&execution, body).run(first));
        } else {
            run_sequential_blocks(&execution, body);
        }
        std::mem::forget(ended);
    };
    // The calling thread is the first worker, and can run the whole grid alone. So a grid that waits for stacks on a
    // thread of the pool never blocks the grid that holds them.
    work_sharing::run((workers - 1) as usize, &|| work(false), || work(true));
    execution.first_fault.into_inner()
}

/// The state of a running grid, shared by its workers.
struct GridExecution {
    kernel: &'static str,
    config: GridConfig,
    blocks: u64,
    /// The number of blocks that a worker claims at once, if they need not be resident at the same time.
    claim_blocks: u64,
    /// The number of the next block to start.
    next_block: AtomicU64,
    /// Whether a thread has faulted.
    faulted: AtomicBool,
    /// Whether a worker has unwound or could not allocate stacks: no more blocks are started, and blocked ones are
    /// abandoned.
    abandoned: AtomicBool,
    first_fault: Mutex<Option<ThreadFault>>,
    barrier: GridBarrier,
    /// The permit for the stacks of all threads, if all blocks are resident at the same time. Released by the last
    /// worker that uses them, before the execution ends.
    permit: Mutex<Option<Permit>>,
    has_permit: bool,
    /// The number of workers that run concurrent blocks.
    active_workers: AtomicU64,
    /// Used after a fault.
    livelock: Mutex<LivelockDetector>,
}

/// A range of blocks that one worker has claimed.
struct ClaimedBlocks<'l> {
    execution: &'l GridExecution,
    next: u64,
    end: u64,
}

impl Iterator for ClaimedBlocks<'_> {
    type Item = BlockGeometry;

    fn next(&mut self) -> Option<BlockGeometry> {
        let GridConfig { grid, block, .. } = self.execution.config;
        if self.next == self.end || self.execution.is_abandoned() {
            return None;
        }
        let block_idx = grid.position(self.next);
        self.next += 1;
        Some(BlockGeometry { block_idx, block_dim: block, grid_dim: grid })
    }
}

/// Detects threads that, after a fault, spin on memory that the faulted thread would have written.
#[derive(Default)]
struct LivelockDetector {
    /// The number of turns, of all workers, in which a thread made progress.
    progress: u64,
    /// The number of workers whose blocks have only spun since the last progress.
    spinning_workers: u64,
    /// The time since which all workers have been spinning.
    since: Option<Instant>,
    /// Whether the timeout has elapsed once; later timeouts are shorter, since no other block is worth waiting for.
    expired: bool,
}

impl GridExecution {
    fn new(kernel: &'static str, config: GridConfig, workers: u64) -> GridExecution {
        let blocks = config.grid.count();
        let all_resident = config.cooperative && config.concurrent;
        GridExecution {
            kernel,
            config,
            blocks,
            claim_blocks: (blocks / (CLAIMS_PER_WORKER * workers)).clamp(1, MAX_CLAIM_BLOCKS),
            next_block: AtomicU64::new(0),
            faulted: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            first_fault: Mutex::new(None),
            barrier: GridBarrier::new(blocks),
            permit: Mutex::new(all_resident.then(|| Permit::acquire((blocks * config.block.count()) as usize))),
            has_permit: all_resident,
            active_workers: AtomicU64::new(0),
            livelock: Mutex::default(),
        }
    }

    fn all_blocks_started(&self) -> bool {
        self.is_abandoned() || self.next_block.load(Ordering::Relaxed) >= self.blocks
    }

    /// Claims up to `max` blocks that have not been started, if there are any.
    fn claim(&self, max: u64) -> Option<ClaimedBlocks<'_>> {
        if self.is_abandoned() {
            return None;
        }
        let next = self.next_block.fetch_add(max, Ordering::Relaxed);
        let end = next.saturating_add(max).min(self.blocks);
        (next < end).then_some(ClaimedBlocks { execution: self, next, end })
    }

    /// Claims the next block to start, if there is one.
    fn claim_one(&self) -> Option<BlockGeometry> {
        self.claim(1)?.next()
    }

    /// Returns the size of a thread's stack.
    fn stack_size(&self) -> StackSize {
        StackSize::of(self.config.stack_bytes)
    }

    /// Does the `work` of one worker. The last worker releases the permit for the stacks.
    fn with_permit(&self, work: impl FnOnce()) {
        self.active_workers.fetch_add(1, Ordering::Relaxed);
        work();
        // Workers that start later find that all blocks have been started, since the first worker starts them.
        if self.active_workers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.permit.lock().take();
        }
    }

    fn has_faulted(&self) -> bool {
        self.faulted.load(Ordering::Relaxed)
    }

    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Records the fault of a thread. Only the one that [`run`] returns is kept.
    fn note(&self, geometry: BlockGeometry, thread: usize, fault: Fault) {
        let BlockGeometry { block_idx, block_dim, grid_dim } = geometry;
        let thread = block_dim.position(thread as u64);
        let mut first = self.first_fault.lock();
        let precedes =
            |noted: &ThreadFault| !self.config.cooperative && grid_dim.number(block_idx) < grid_dim.number(noted.block);
        if first.as_ref().is_none_or(precedes) {
            *first = Some(ThreadFault { block: block_idx, thread, fault });
        }
        drop(first);
        self.faulted.store(true, Ordering::Relaxed);
        self.barrier.wake();
    }

    /// Abandons the execution because a stack could not be allocated.
    fn abandon_without_stacks(&self, error: &std::io::Error) {
        let fault = no_stacks(error);
        self.first_fault.lock().get_or_insert(ThreadFault { block: Dim3::ZERO, thread: Dim3::ZERO, fault });
        self.abandon();
    }

    fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.barrier.wake();
    }

    /// After a fault: records a turn of a worker in which a thread did something other than spinning.
    fn note_progress(&self) {
        let mut livelock = self.livelock.lock();
        let &mut LivelockDetector { progress, expired, .. } = &mut *livelock;
        *livelock = LivelockDetector { progress: progress + 1, spinning_workers: 0, since: None, expired };
    }

    /// After a fault: records a turn of a worker in which all threads were spinning, and no other block could be
    /// started. Returns whether the grid is livelocked. `seen` is the worker's own state.
    fn is_livelocked(&self, seen: &mut Option<u64>) -> bool {
        let mut livelock = self.livelock.lock();
        if seen.replace(livelock.progress) != Some(livelock.progress) {
            livelock.spinning_workers += 1;
        }
        if livelock.spinning_workers < self.active_workers.load(Ordering::Relaxed) {
            return false;
        }
        let timeout = if livelock.expired { LIVELOCK_TIMEOUT / 100 } else { LIVELOCK_TIMEOUT };
        livelock.expired |= livelock.since.get_or_insert_with(Instant::now).elapsed() >= timeout;
        livelock.expired && livelock.since.is_some_and(|since| since.elapsed() >= timeout)
    }
}

/// Abandons the execution when its worker unwinds, which no fault causes: the worker's blocks are lost, and others may
/// wait for them.
struct AbandonOnUnwind<'l>(&'l GridExecution);

impl Drop for AbandonOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Runs blocks whose threads do not wait: each is a loop over its threads. A kernel that may need a large stack runs on
/// one from the pool: the size of the calling thread's stack is unknown, and so is how much of it is in use.
fn run_sequential_blocks(execution: &GridExecution, body: &dyn Body) {
    let GridConfig { stack_bytes, calls_host_code, .. } = execution.config;
    let running = RunningThread::new(execution.kernel, execution.stack_size());
    if stack_pool::fits_on_caller_stack(stack_bytes) && !calls_host_code {
        return run_blocks(execution, body, &running, false);
    }
    if execution.all_blocks_started() {
        return;
    }
    let mut stack = match OwnStack::new(execution.stack_size()) {
        Ok(stack) => stack,
        Err(error) => return execution.abandon_without_stacks(&error),
    };
    stack.run(|guard_page| {
        running.set_guard_page(guard_page);
        running.monitor(|| run_blocks(execution, body, &running, calls_host_code));
    });
}

/// Runs blocks on the current stack. With `track_threads`, the running thread is recorded at all times, at the cost of
/// a call per thread.
fn run_blocks(execution: &GridExecution, body: &dyn Body, running: &RunningThread, track_threads: bool) {
    let GridConfig { block, shared_bytes, .. } = execution.config;
    while let Some(mut blocks) = execution.claim(execution.claim_blocks) {
        while let Some(first) = blocks.next() {
            let (mut geometry, mut memory) = (first, BlockMemory::new(shared_bytes));
            running.set_block(geometry);
            let mut started = 0;
            if !track_threads {
                let thread = Cell::new(Dim3::ZERO);
                // Catching a panic costs as much as a few dozen threads, hence once for all of these blocks.
                let run = || {
                    loop {
                        body.run_sequentially(geometry, &memory, &thread);
                        work_sharing::flush();
                        let Some(next) = blocks.next() else { return };
                        (geometry, memory) = (next, BlockMemory::new(shared_bytes));
                        running.set_block(geometry);
                    }
                };
                started = block.count() as usize;
                if let Err(fault) = fault::catch(run) {
                    let faulted = block.number(thread.get());
                    execution.note(geometry, faulted, fault);
                    started = faulted + 1;
                }
            }
            run_threads_from(execution, body, geometry, &memory, started, running);
            work_sharing::flush();
        }
    }
}

/// Runs the threads of a block from number `first` sequentially, and continues after the fault of one.
fn run_threads_from(
    execution: &GridExecution,
    body: &dyn Body,
    geometry: BlockGeometry,
    memory: &BlockMemory,
    first: usize,
    running: &RunningThread,
) {
    let threads = geometry.block_dim.count() as usize;
    let next = Cell::new(first);
    while next.get() < threads {
        let rest = || {
            while next.get() < threads {
                let thread = next.replace(next.get() + 1);
                running.set_thread(thread);
                body.run(Cx::plain(geometry, geometry.block_dim.position(thread as u64), memory));
            }
        };
        if let Err(fault) = fault::catch(rest) {
            execution.note(geometry, next.get() - 1, fault);
        }
    }
    running.clear_thread();
}

/// Runs blocks whose threads are coroutines.
struct Worker<'l> {
    execution: &'l GridExecution,
    body: &'l dyn Body,
    /// The blocks that have started and not ended.
    active: Vec<ActiveBlock<'l>>,
    running: RunningThread,
    /// Dropped after the blocks, which use some of them.
    stacks: WorkerStacks,
}

/// A block that has started.
struct ActiveBlock<'l> {
    block: Block<'l>,
    /// If the block waits at the grid barrier, the number of passages after which it continues.
    at_grid_barrier: Option<u64>,
}

/// The outcome of a turn of all blocks of a worker.
enum Turn {
    /// A thread made progress.
    Progressed,
    /// All threads are spinning on memory, or wait at the grid barrier.
    Spinning,
    /// All threads wait at the grid barrier, until it has been passed this many times.
    AtGridBarrier(u64),
}

impl<'l> Worker<'l> {
    fn new(execution: &'l GridExecution, body: &'l dyn Body) -> Self {
        let running = RunningThread::new(execution.kernel, execution.stack_size());
        let stacks = WorkerStacks::new(execution.stack_size(), execution.has_permit);
        Worker { execution, body, active: Vec::new(), running, stacks }
    }

    /// Runs blocks until none is left to start. Only the `first` worker waits for stacks; others leave the blocks to
    /// it.
    fn run(mut self, first: bool) {
        let execution = self.execution;
        let mut spins = 0;
        let mut seen = None;
        while !self.active.is_empty() || self.start_block(first) {
            let turn = self.turn();
            match turn {
                Turn::Progressed => {
                    spins = 0;
                    if execution.has_faulted() {
                        execution.note_progress();
                    }
                }
                Turn::AtGridBarrier(passages) => {
                    if !self.start_block(false) {
                        execution.barrier.wait(passages, || execution.has_faulted() || execution.is_abandoned());
                    }
                }
                Turn::Spinning if spins < SPIN_LIMIT => spins += 1,
                Turn::Spinning => {
                    spins = 0;
                    if !self.start_block(false) {
                        if execution.has_faulted() && execution.is_livelocked(&mut seen) {
                            self.end_blocks();
                        }
                        std::thread::yield_now();
                    }
                }
            }
            if execution.is_abandoned() {
                return; // the blocks may wait for blocks that no longer exist
            }
        }
    }

    /// Ends all active blocks. Their threads unwind.
    fn end_blocks(&mut self) {
        for _ in self.active.drain(..) {
            self.execution.barrier.leave();
        }
    }

    /// Starts the next block, if there is one and there are stacks for it. Returns whether it did.
    fn start_block(&mut self, wait: bool) -> bool {
        let Worker { execution, body, active, running: _, stacks } = self;
        if execution.all_blocks_started() {
            return false;
        }
        match stacks.reserve(execution.config.block.count() as usize, wait) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(error) => {
                execution.abandon_without_stacks(&error);
                return false;
            }
        }
        let Some(geometry) = execution.claim_one() else { return false };
        let block = Block::new(geometry, execution.config.shared_bytes, stacks, *body);
        active.push(ActiveBlock { block, at_grid_barrier: None });
        true
    }

    /// Runs a turn of each active block, and drops those that end.
    fn turn(&mut self) -> Turn {
        let Worker { execution, body: _, active, running, stacks } = self;
        let mut progressed = false;
        running.monitor(|| {
            active.retain_mut(|active| {
                let Some(progress) = turn_of(execution, active, running, stacks) else { return true };
                progressed |= progress != BlockProgress::Spinning;
                let stays = matches!(
                    progress,
                    BlockProgress::Progressing | BlockProgress::Spinning | BlockProgress::AtGridBarrier
                );
                if !stays {
                    execution.barrier.leave();
                }
                stays
            });
        });
        // All blocks at the grid barrier wait for the same passage.
        let at_grid_barrier = || active.iter().map(|active| active.at_grid_barrier).reduce(Option::and).flatten();
        if progressed { Turn::Progressed } else { at_grid_barrier().map_or(Turn::Spinning, Turn::AtGridBarrier) }
    }
}

/// Runs a turn of a block. Returns `None` if it still waits at the grid barrier.
fn turn_of(
    execution: &GridExecution,
    active: &mut ActiveBlock<'_>,
    running: &RunningThread,
    stacks: &mut WorkerStacks,
) -> Option<BlockProgress> {
    let ActiveBlock { block, at_grid_barrier } = active;
    let geometry = block.geometry();
    if let &mut Some(passages) = at_grid_barrier {
        // The emitted `sync_grid` does the same: a fault marks the count, and threads that see the mark exit.
        if execution.has_faulted() {
            return Some(BlockProgress::Ended);
        }
        if !execution.barrier.is_passed(passages) {
            let ended = execution.barrier.ended_before(passages)?;
            let (thread, fault) = block.deadlock(ended);
            execution.note(geometry, thread, fault);
            return Some(BlockProgress::Deadlocked);
        }
        *at_grid_barrier = None;
        block.release_grid_barrier();
    }
    let progress = block.turn(stacks, running, &mut |thread, fault| execution.note(geometry, thread, fault));
    match progress {
        BlockProgress::Progressing | BlockProgress::Spinning | BlockProgress::Ended => {}
        BlockProgress::AtGridBarrier if execution.has_faulted() => return Some(BlockProgress::Ended),
        BlockProgress::AtGridBarrier if !block.has_exited_threads() => {
            *at_grid_barrier = Some(execution.barrier.arrive());
        }
        BlockProgress::AtGridBarrier | BlockProgress::Deadlocked => {
            let (thread, fault) = block.deadlock(0);
            execution.note(geometry, thread, fault);
            return Some(BlockProgress::Deadlocked);
        }
    }
    Some(progress)
}

/// The grid barrier, at which whole blocks arrive.
struct GridBarrier {
    blocks: u64,
    /// The number of blocks that wait.
    waiting: Mutex<u64>,
    /// The number of times that the barrier has been passed. Written under the lock.
    passed: AtomicU64,
    /// The number of blocks that have ended. Written under the lock.
    ended: AtomicU64,
    changed: Condvar,
}

impl GridBarrier {
    fn new(blocks: u64) -> GridBarrier {
        let (passed, ended) = (AtomicU64::new(0), AtomicU64::new(0));
        GridBarrier { blocks, waiting: Mutex::default(), passed, ended, changed: Condvar::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, u64> {
        self.waiting.lock()
    }

    /// Records the arrival of a block. Returns the number of passages after which it may continue.
    fn arrive(&self) -> u64 {
        let mut waiting = self.waiting();
        let passages = self.passed.load(Ordering::Relaxed) + 1;
        *waiting += 1;
        if *waiting == self.blocks {
            *waiting = 0;
            self.passed.store(passages, Ordering::Release);
            self.changed.notify_all();
        }
        passages
    }

    /// Records the end of a block. Blocks that wait at the barrier can then never pass it.
    fn leave(&self) {
        let waiting = self.waiting();
        self.ended.fetch_add(1, Ordering::Release);
        if *waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Returns the number of ended blocks if they prevent the barrier from being passed `passages` times.
    fn ended_before(&self, passages: u64) -> Option<u64> {
        // In this order: a block that ended had passed the barrier before, which is then visible.
        let ended = self.ended.load(Ordering::Acquire);
        (ended > 0 && !self.is_passed(passages)).then_some(ended)
    }

    fn is_passed(&self, passages: u64) -> bool {
        self.passed.load(Ordering::Acquire) >= passages
    }

    /// Waits until the barrier has been passed `passages` times, can never be, or `is_cancelled`. Call
    /// [`GridBarrier::wake`] when the result of `is_cancelled` changes.
    fn wait(&self, passages: u64, is_cancelled: impl Fn() -> bool) {
        let mut waiting = self.waiting();
        while !self.is_passed(passages) && self.ended_before(passages).is_none() && !is_cancelled() {
            waiting = self.changed.wait(waiting);
        }
    }

    /// Wakes the waiting blocks, so that they re-evaluate `is_cancelled`.
    fn wake(&self) {
        let _waiting = self.waiting();
        self.changed.notify_all();
    }
}
