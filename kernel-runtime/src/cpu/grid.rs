//! Running a grid: its blocks in parallel, each on one thread of the pool.
//!
//! A block whose threads wait for another block does not hold its worker up: the worker begins the next block beside it.
//! So all blocks of a grid can wait for each other, as far as there are stacks, whatever the number of workers.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::cpu::block::{BlockMemory, Position};
use crate::cpu::body::Body;
use crate::cpu::context::Cx;
use crate::cpu::coroutine::{Block, Progress, no_stacks};
use crate::cpu::crew;
use crate::cpu::fault::{self, Fault};
use crate::cpu::running::Running;
use crate::cpu::stacks::{self, OwnStack, Permit, Size, Stacks};
use crate::dim::Dim3;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// How many turns the blocks of a worker may ask memory in vain before the next block is begun beside them.
const PATIENCE: u32 = 8;

/// How long all threads that are left may ask memory in vain after a fault, before they are ended: what they wait for was
/// likely up to the thread that faulted. On a GPU they wait for ever.
const GRACE: Duration = Duration::from_secs(1);

/// How often a worker claims blocks, if all are equally fast: the last claim bounds how long the others wait for it.
const CLAIMS: u64 = 16;

/// The most blocks in a claim.
const LARGEST_CLAIM: u64 = 64;

/// How to run a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    /// Bytes of dynamic shared memory for each block.
    pub(crate) shared_bytes: usize,
    /// The threads of a block may wait for each other, so that they run side by side.
    pub(crate) side_by_side: bool,
    /// All blocks run at once, and may wait for each other at a barrier of the grid. There are at most as many threads as
    /// [`RESIDENT`].
    pub(crate) cooperative: bool,
    /// Bytes of the frames of a thread, at most [`LARGEST_STACK`].
    pub(crate) stack_bytes: u64,
    /// The kernel calls functions of the host's, whose frames nobody knows.
    pub(crate) calls_host_code: bool,
}

/// How many threads a cooperative launch may have.
pub(crate) const RESIDENT: usize = stacks::LIMIT;

/// How many bytes the frames of a thread may take.
pub(crate) const LARGEST_STACK: u64 = stacks::LARGEST;

/// A fault, and where in the grid it was.
pub(crate) struct Stopped {
    pub(crate) block: Dim3,
    pub(crate) thread: Dim3,
    pub(crate) fault: Fault,
}

/// Runs `body`, of the kernel with this name, once for each thread of the grid, and gives the first fault. A thread that
/// faults ends; all others run, as on a GPU.
pub(crate) fn run(kernel: &'static str, shape: Shape, body: &dyn Body) -> Option<Stopped> {
    fault::install_hook();
    let workers = (rayon::current_num_threads() as u64).min(shape.grid.count()).max(1);
    // Dropped after the launch, which has given back its stacks then.
    let _withheld = shape.side_by_side.then(crew::withhold);
    let launch = Launch::new(kernel, shape, workers);
    let work = |first| {
        let ended = OnUnwind(&launch);
        if shape.side_by_side {
            launch.side_by_side(|| Worker::new(&launch, body).run(first));
        } else {
            run_in_turn(&launch, body);
        }
        std::mem::forget(ended);
    };
    // The caller's thread is the first worker, and alone able to do all. So a launch that waits for stacks on a thread of
    // the pool never holds up the launch that has them.
    crew::run((workers - 1) as usize, &|| work(false), || work(true));
    launch.first.into_inner()
}

/// What the workers of a launch share.
struct Launch {
    kernel: &'static str,
    shape: Shape,
    blocks: u64,
    /// The number of blocks that a worker claims at once, where they need not run side by side.
    claim: u64,
    /// The next block to begin.
    next: AtomicU64,
    /// There was a fault.
    faulted: AtomicBool,
    /// A worker unwound, or has no memory for stacks: no further block is to begin, and those that wait are to be given up.
    abandoned: AtomicBool,
    first: Mutex<Option<Stopped>>,
    barrier: GridBarrier,
    /// For the stacks of all threads, where all run at once. Given back when no worker is left that uses them, which is
    /// before the launch is over.
    permit: Mutex<Option<Permit>>,
    has_permit: bool,
    /// The workers that run blocks side by side.
    at_work: AtomicU64,
    /// Used after a fault.
    quiet: Mutex<Quiet>,
}

/// Blocks that one worker is to run.
struct Claimed<'l> {
    launch: &'l Launch,
    next: u64,
    end: u64,
}

impl Iterator for Claimed<'_> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let Shape { grid, block, .. } = self.launch.shape;
        if self.next == self.end || self.launch.is_abandoned() {
            return None;
        }
        let block_idx = grid.position(self.next);
        self.next += 1;
        Some(Position { block_idx, block_dim: block, grid_dim: grid })
    }
}

/// Detection of threads that poll memory for what a thread that faulted would have written.
#[derive(Default)]
struct Quiet {
    /// Counts the turns, of all workers, in which a thread did something else.
    moves: u64,
    /// The workers whose blocks have only polled since.
    workers: u64,
    /// When the last of all workers became one of these.
    since: Option<Instant>,
    /// It was over once, so that no other block is worth waiting for.
    over: bool,
}

impl Launch {
    fn new(kernel: &'static str, shape: Shape, workers: u64) -> Launch {
        let blocks = shape.grid.count();
        let all_at_once = shape.cooperative && shape.side_by_side;
        Launch {
            kernel,
            shape,
            blocks,
            claim: (blocks / (CLAIMS * workers)).clamp(1, LARGEST_CLAIM),
            next: AtomicU64::new(0),
            faulted: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            first: Mutex::new(None),
            barrier: GridBarrier::new(blocks),
            permit: Mutex::new(all_at_once.then(|| Permit::wait_for((blocks * shape.block.count()) as usize))),
            has_permit: all_at_once,
            at_work: AtomicU64::new(0),
            quiet: Mutex::default(),
        }
    }

    fn all_have_begun(&self) -> bool {
        self.is_abandoned() || self.next.load(Ordering::Relaxed) >= self.blocks
    }

    /// Up to `most` blocks that nobody has begun, if there are any.
    fn claim(&self, most: u64) -> Option<Claimed<'_>> {
        if self.is_abandoned() {
            return None;
        }
        let next = self.next.fetch_add(most, Ordering::Relaxed);
        let end = next.saturating_add(most).min(self.blocks);
        (next < end).then_some(Claimed { launch: self, next, end })
    }

    /// The next block to begin, if there is one.
    fn next(&self) -> Option<Position> {
        self.claim(1)?.next()
    }

    /// The size of a thread's stack.
    fn stack_size(&self) -> Size {
        Size::of(self.shape.stack_bytes)
    }

    /// Does the `work` of one worker.
    fn side_by_side(&self, work: impl FnOnce()) {
        self.at_work.fetch_add(1, Ordering::Relaxed);
        work();
        // Those that come later find that all blocks have begun: the first worker begins them.
        if self.at_work.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.permit.lock().take();
        }
    }

    fn has_faulted(&self) -> bool {
        self.faulted.load(Ordering::Relaxed)
    }

    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Notes the fault of a thread. The first one stays.
    fn note(&self, position: Position, thread: usize, fault: Fault) {
        let Position { block_idx, block_dim, .. } = position;
        let thread = block_dim.position(thread as u64);
        self.first.lock().get_or_insert(Stopped { block: block_idx, thread, fault });
        self.faulted.store(true, Ordering::Relaxed);
        self.barrier.wake();
    }

    /// Gives the launch up for want of memory.
    fn without_stacks(&self, error: &std::io::Error) {
        let fault = no_stacks(error);
        self.first.lock().get_or_insert(Stopped { block: Dim3::ZERO, thread: Dim3::ZERO, fault });
        self.give_up();
    }

    fn give_up(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.barrier.wake();
    }

    /// After a fault: a worker had a turn in which a thread did something other than asking memory in vain.
    fn moved(&self) {
        let mut quiet = self.quiet.lock();
        let &mut Quiet { moves, over, .. } = &mut *quiet;
        *quiet = Quiet { moves: moves + 1, workers: 0, since: None, over };
    }

    /// After a fault: a worker had a turn in which all threads asked memory in vain, and cannot begin another block. Says
    /// whether they ask for nothing. `seen` is the worker's.
    fn asks_for_nothing(&self, seen: &mut Option<u64>) -> bool {
        let mut quiet = self.quiet.lock();
        if seen.replace(quiet.moves) != Some(quiet.moves) {
            quiet.workers += 1;
        }
        if quiet.workers < self.at_work.load(Ordering::Relaxed) {
            return false;
        }
        let grace = if quiet.over { GRACE / 100 } else { GRACE };
        quiet.over |= quiet.since.get_or_insert_with(Instant::now).elapsed() >= grace;
        quiet.over && quiet.since.is_some_and(|since| since.elapsed() >= grace)
    }
}

/// Gives the launch up when its worker unwinds, which no fault makes it do: its blocks are gone, and others may wait for
/// them.
struct OnUnwind<'l>(&'l Launch);

impl Drop for OnUnwind<'_> {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// Runs blocks whose threads need not wait: each is a loop over its threads. A kernel that may need much stack gets one of
/// its own: that of the thread which launches has any size, and its callers use any part of it.
fn run_in_turn(launch: &Launch, body: &dyn Body) {
    let Shape { stack_bytes, calls_host_code, .. } = launch.shape;
    let running = Running::new(launch.kernel, launch.stack_size());
    if stacks::fits_on_any_thread(stack_bytes) && !calls_host_code {
        return run_blocks(launch, body, &running, false);
    }
    if launch.all_have_begun() {
        return;
    }
    let mut stack = match OwnStack::new(launch.stack_size()) {
        Ok(stack) => stack,
        Err(error) => return launch.without_stacks(&error),
    };
    stack.run(|guard| {
        running.on(guard);
        running.during(|| run_blocks(launch, body, &running, calls_host_code));
    });
}

/// Runs blocks on the stack in use. With `noting`, it is known at any time which thread runs, at the cost of a call for each.
fn run_blocks(launch: &Launch, body: &dyn Body, running: &Running, noting: bool) {
    let Shape { block, shared_bytes, .. } = launch.shape;
    while let Some(mut blocks) = launch.claim(launch.claim) {
        while let Some(first) = blocks.next() {
            let (mut position, mut memory) = (first, BlockMemory::new(shared_bytes));
            running.begin(position);
            let mut begun = 0;
            if !noting {
                let thread = Cell::new(Dim3::ZERO);
                // Catching a panic costs as much as a few dozen threads, hence once for all of these blocks.
                let run = || {
                    loop {
                        body.run_in_turn(position, &memory, &thread);
                        crew::write_out();
                        let Some(next) = blocks.next() else { return };
                        (position, memory) = (next, BlockMemory::new(shared_bytes));
                        running.begin(position);
                    }
                };
                begun = block.count() as usize;
                if let Err(fault) = fault::catch(run) {
                    let faulted = block.number(thread.get());
                    launch.note(position, faulted, fault);
                    begun = faulted + 1;
                }
            }
            one_by_one(launch, body, position, &memory, begun, running);
            crew::write_out();
        }
    }
}

/// Runs the threads of a block from number `first` one after the other, each of which may fault.
fn one_by_one(
    launch: &Launch,
    body: &dyn Body,
    position: Position,
    memory: &BlockMemory,
    first: usize,
    running: &Running,
) {
    let threads = position.block_dim.count() as usize;
    let next = Cell::new(first);
    while next.get() < threads {
        let rest = || {
            while next.get() < threads {
                let thread = next.replace(next.get() + 1);
                running.next(thread);
                body.run(Cx::plain(position, position.block_dim.position(thread as u64), memory));
            }
        };
        if let Err(fault) = fault::catch(rest) {
            launch.note(position, next.get() - 1, fault);
        }
    }
    running.between_threads();
}

/// Runs blocks whose threads may wait for each other.
struct Worker<'l> {
    launch: &'l Launch,
    body: &'l dyn Body,
    /// The blocks that have begun and not ended.
    open: Vec<Open<'l>>,
    running: Running,
    /// Dropped after the blocks, which use some of them.
    stacks: Stacks,
}

/// A block that has begun.
struct Open<'l> {
    block: Block<'l>,
    /// It waits for the grid's barrier to have been passed this often.
    at_grid: Option<u64>,
}

/// What came of a turn of all blocks of a worker.
enum Turn {
    /// A thread did something.
    Moved,
    /// All threads ask memory in vain, or wait for the grid.
    Vain,
    /// All threads wait for the grid, until its barrier has been passed this often.
    AtGrid(u64),
}

impl<'l> Worker<'l> {
    fn new(launch: &'l Launch, body: &'l dyn Body) -> Self {
        let running = Running::new(launch.kernel, launch.stack_size());
        let stacks = Stacks::new(launch.stack_size(), launch.has_permit);
        Worker { launch, body, open: Vec::new(), running, stacks }
    }

    /// Runs blocks until none is left to begin. Workers but the `first` leave them to it where there are no stacks.
    fn run(mut self, first: bool) {
        let launch = self.launch;
        let mut vain = 0;
        let mut seen = None;
        while !self.open.is_empty() || self.begin(first) {
            let turn = self.turn();
            match turn {
                Turn::Moved => {
                    vain = 0;
                    if launch.has_faulted() {
                        launch.moved();
                    }
                }
                Turn::AtGrid(times) => {
                    if !self.begin(false) {
                        launch.barrier.wait(times, || launch.has_faulted() || launch.is_abandoned());
                    }
                }
                Turn::Vain if vain < PATIENCE => vain += 1,
                Turn::Vain => {
                    vain = 0;
                    if !self.begin(false) {
                        if launch.has_faulted() && launch.asks_for_nothing(&mut seen) {
                            self.end_blocks();
                        }
                        std::thread::yield_now();
                    }
                }
            }
            if launch.is_abandoned() {
                return; // what they wait for may have been up to the blocks that are gone
            }
        }
    }

    /// Ends all open blocks. Their threads unwind.
    fn end_blocks(&mut self) {
        for _ in self.open.drain(..) {
            self.launch.barrier.leave();
        }
    }

    /// Begins the next block, if there is one and there are stacks for it.
    fn begin(&mut self, wait: bool) -> bool {
        let Worker { launch, body, open, running: _, stacks } = self;
        if launch.all_have_begun() {
            return false;
        }
        match stacks.prepare(launch.shape.block.count() as usize, wait) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(error) => {
                launch.without_stacks(&error);
                return false;
            }
        }
        let Some(position) = launch.next() else { return false };
        open.push(Open { block: Block::new(position, launch.shape.shared_bytes, stacks, *body), at_grid: None });
        true
    }

    /// Gives each open block a turn, and forgets those that end.
    fn turn(&mut self) -> Turn {
        let Worker { launch, body: _, open, running, stacks } = self;
        let mut moved = false;
        running.during(|| {
            open.retain_mut(|open| {
                let Some(progress) = turn_of(launch, open, running, stacks) else { return true };
                moved |= progress != Progress::Spinning;
                let stays = matches!(progress, Progress::Moving | Progress::Spinning | Progress::AtGrid);
                if !stays {
                    launch.barrier.leave();
                }
                stays
            });
        });
        // Those that wait for the grid all wait for the same passage of its barrier.
        let at_grid = || open.iter().map(|open| open.at_grid).reduce(Option::and).flatten();
        if moved { Turn::Moved } else { at_grid().map_or(Turn::Vain, Turn::AtGrid) }
    }
}

/// Gives a block a turn; `None` where it still waits for the grid.
fn turn_of(launch: &Launch, open: &mut Open<'_>, running: &Running, stacks: &mut Stacks) -> Option<Progress> {
    let Open { block, at_grid } = open;
    let position = block.position();
    if let &mut Some(times) = at_grid {
        // The emitted `sync_grid` does the same: a fault marks the count, and who sees the mark exits.
        if launch.has_faulted() {
            return Some(Progress::Ended);
        }
        if !launch.barrier.is_passed(times) {
            let ended = launch.barrier.lacks(times)?;
            let (thread, fault) = block.deadlock(ended);
            launch.note(position, thread, fault);
            return Some(Progress::Deadlocked);
        }
        *at_grid = None;
        block.pass_grid();
    }
    let progress = block.turn(stacks, running, &mut |thread, fault| launch.note(position, thread, fault));
    match progress {
        Progress::Moving | Progress::Spinning | Progress::Ended => {}
        Progress::AtGrid if launch.has_faulted() => return Some(Progress::Ended),
        Progress::AtGrid if !block.lacks_threads() => *at_grid = Some(launch.barrier.arrive()),
        Progress::AtGrid | Progress::Deadlocked => {
            let (thread, fault) = block.deadlock(0);
            launch.note(position, thread, fault);
            return Some(Progress::Deadlocked);
        }
    }
    Some(progress)
}

/// A barrier of the grid, as the blocks see it.
struct GridBarrier {
    blocks: u64,
    /// The blocks that wait.
    waiting: Mutex<u64>,
    /// How often it has been passed. Written under the lock.
    passed: AtomicU64,
    /// The blocks that have ended. Written under the lock.
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

    /// A block arrives. It may go on once the barrier has been passed as often as the result says.
    fn arrive(&self) -> u64 {
        let mut waiting = self.waiting();
        let times = self.passed.load(Ordering::Relaxed) + 1;
        *waiting += 1;
        if *waiting == self.blocks {
            *waiting = 0;
            self.passed.store(times, Ordering::Release);
            self.changed.notify_all();
        }
        times
    }

    /// A block ends. Those that wait at the barrier then do so in vain.
    fn leave(&self) {
        let waiting = self.waiting();
        self.ended.fetch_add(1, Ordering::Release);
        if *waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// How many blocks have ended, if there are any and the barrier has not been passed so often: it never will be.
    fn lacks(&self, times: u64) -> Option<u64> {
        // In this order: a block that ended had passed the barrier before, which is seen then.
        let ended = self.ended.load(Ordering::Acquire);
        (ended > 0 && !self.is_passed(times)).then_some(ended)
    }

    fn is_passed(&self, times: u64) -> bool {
        self.passed.load(Ordering::Acquire) >= times
    }

    /// Waits until the barrier has been passed so often, never will be, or is `given_up`; then call [`GridBarrier::wake`].
    fn wait(&self, times: u64, given_up: impl Fn() -> bool) {
        let mut waiting = self.waiting();
        while !self.is_passed(times) && self.lacks(times).is_none() && !given_up() {
            waiting = self.changed.wait(waiting);
        }
    }

    /// Wakes those that wait, so that they see that it is given up.
    fn wake(&self) {
        let _waiting = self.waiting();
        self.changed.notify_all();
    }
}
