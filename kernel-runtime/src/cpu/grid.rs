//! Running a grid: its blocks in parallel, each on one thread of the pool.
//!
//! A block whose threads wait for another block does not hold its worker up: the worker begins the next block beside it.
//! So all blocks of a grid can wait for each other, as far as there are stacks, whatever the number of workers.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::cpu::block::{BlockMemory, Position};
use crate::cpu::body::Body;
use crate::cpu::coroutine::{Block, Ended, Progress, no_stacks};
use crate::cpu::crew;
use crate::cpu::fault::{self, Fault};
use crate::cpu::stacks::{self, Permit, Stacks};
use crate::dim::Dim3;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// How many turns the blocks of a worker may ask memory in vain before the next block is begun beside them.
const PATIENCE: u32 = 8;

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
}

/// How many threads a cooperative launch may have.
pub(crate) const RESIDENT: usize = stacks::LIMIT;

/// A fault, and where in the grid it was.
pub(crate) struct Stopped {
    pub(crate) block: Dim3,
    pub(crate) thread: Dim3,
    pub(crate) fault: Fault,
}

/// Runs `body` once for each thread of the grid, and gives the first fault. After a fault no further block is begun.
pub(crate) fn run(shape: Shape, body: &dyn Body) -> Option<Stopped> {
    fault::install_hook();
    let launch = Launch::new(shape);
    let work = |first| {
        let ended = OnUnwind(&launch);
        if shape.side_by_side {
            launch.side_by_side(|| Worker::new(&launch, body).run(first));
        } else {
            run_in_turn(&launch, body);
        }
        std::mem::forget(ended);
    };
    let helpers = (rayon::current_num_threads() as u64).min(launch.blocks).saturating_sub(1);
    // The caller's thread is the first worker, and alone able to do all. So a launch that waits for stacks on a thread of
    // the pool never holds up the launch that has them.
    crew::run(helpers as usize, &|| work(false), || work(true));
    launch.first.into_inner()
}

/// What the workers of a launch share.
struct Launch {
    shape: Shape,
    blocks: u64,
    /// The next block to begin.
    next: AtomicU64,
    /// There was a fault: no further block is to begin, and those that wait for others are to be given up.
    stop: AtomicBool,
    first: Mutex<Option<Stopped>>,
    barrier: GridBarrier,
    /// For the stacks of all threads, where all run at once. Given back when no worker is left that uses them, which is
    /// before the launch is over.
    permit: Mutex<Option<Permit>>,
    has_permit: bool,
    /// The workers that run blocks side by side.
    at_work: AtomicU64,
}

impl Launch {
    fn new(shape: Shape) -> Launch {
        let blocks = shape.grid.count();
        let all_at_once = shape.cooperative && shape.side_by_side;
        Launch {
            shape,
            blocks,
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            first: Mutex::new(None),
            barrier: GridBarrier::new(blocks),
            permit: Mutex::new(all_at_once.then(|| Permit::wait_for((blocks * shape.block.count()) as usize))),
            has_permit: all_at_once,
            at_work: AtomicU64::new(0),
        }
    }

    fn all_have_begun(&self) -> bool {
        self.stopped() || self.next.load(Ordering::Relaxed) >= self.blocks
    }

    /// The place of the next block to begin, if there is one.
    fn next(&self) -> Option<Position> {
        if self.stopped() {
            return None;
        }
        let Shape { grid, block, .. } = self.shape;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let block_idx = (number < self.blocks).then(|| grid.position(number))?;
        Some(Position { block_idx, block_dim: block, grid_dim: grid })
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

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Notes a fault. The first one stays.
    fn stop(&self, stopped: Stopped) {
        self.first.lock().get_or_insert(stopped);
        self.give_up();
    }

    fn give_up(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.barrier.wake();
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

/// Runs blocks whose threads need not wait: each is a loop over its threads.
fn run_in_turn(launch: &Launch, body: &dyn Body) {
    while let Some(position) = launch.next() {
        let memory = BlockMemory::new(launch.shape.shared_bytes);
        let current = Cell::new(Dim3::ZERO);
        if let Err(fault) = fault::catch(|| body.run_in_turn(position, &memory, &current)) {
            launch.stop(Stopped { block: position.block_idx, thread: current.get(), fault });
        }
        crew::write_out();
    }
}

/// Runs blocks whose threads may wait for each other.
struct Worker<'l> {
    launch: &'l Launch,
    body: &'l dyn Body,
    /// The blocks that have begun and not ended.
    open: Vec<Open<'l>>,
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
        Worker { launch, body, open: Vec::new(), stacks: Stacks::new(launch.has_permit) }
    }

    /// Runs blocks until none is left to begin. Workers but the `first` leave them to it where there are no stacks.
    fn run(mut self, first: bool) {
        let launch = self.launch;
        let mut vain = 0;
        while !self.open.is_empty() || self.begin(first) {
            let turn = self.turn();
            crew::write_out();
            match turn {
                Turn::Moved => {
                    vain = 0;
                    continue;
                }
                Turn::AtGrid(times) => {
                    if !self.begin(false) {
                        launch.barrier.wait(times, || launch.stopped());
                    }
                }
                Turn::Vain if vain < PATIENCE => vain += 1,
                Turn::Vain => {
                    vain = 0;
                    if !self.begin(false) {
                        std::thread::yield_now();
                    }
                }
            }
            if launch.stopped() {
                return; // what they wait for may have been up to the thread that faulted
            }
        }
    }

    /// Begins the next block, if there is one and there are stacks for it.
    fn begin(&mut self, wait: bool) -> bool {
        let Worker { launch, body, open, stacks } = self;
        if launch.all_have_begun() {
            return false;
        }
        match stacks.prepare(launch.shape.block.count() as usize, wait) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(error) => {
                launch.stop(Stopped { block: Dim3::ZERO, thread: Dim3::ZERO, fault: no_stacks(&error) });
                return false;
            }
        }
        let Some(position) = launch.next() else { return false };
        open.push(Open { block: Block::new(position, launch.shape.shared_bytes, stacks, *body), at_grid: None });
        true
    }

    /// Gives each open block a turn, and forgets those that end.
    fn turn(&mut self) -> Turn {
        let Worker { launch, body: _, open, stacks } = self;
        let mut moved = false;
        open.retain_mut(|Open { block, at_grid }| {
            if at_grid.is_some_and(|times| !launch.barrier.passed(times)) {
                return true;
            }
            if at_grid.take().is_some() {
                block.pass_grid();
            }
            let progress = block.turn(stacks);
            moved |= !matches!(progress, Ok(Progress::Spinning));
            match progress {
                Ok(Progress::Moving | Progress::Spinning) => true,
                Ok(Progress::AtGrid) => {
                    *at_grid = Some(launch.barrier.arrive());
                    true
                }
                Ok(Progress::Ended) => {
                    launch.barrier.leave();
                    false
                }
                Err(Ended { thread, fault }) => {
                    let Position { block_idx, block_dim, .. } = block.position();
                    let thread = block_dim.position(thread as u64);
                    launch.stop(Stopped { block: block_idx, thread, fault });
                    false
                }
            }
        });
        // Those that wait for the grid all wait for the same passage of its barrier.
        let at_grid = || open.iter().map(|open| open.at_grid).reduce(Option::and).flatten();
        if moved { Turn::Moved } else { at_grid().map_or(Turn::Vain, Turn::AtGrid) }
    }
}

/// A barrier of the grid, as the blocks see it.
struct GridBarrier {
    blocks: u64,
    state: Mutex<Arrivals>,
    /// How often it has been passed.
    passed: AtomicU64,
    changed: Condvar,
}

/// Who has come to the barrier.
#[derive(Default)]
struct Arrivals {
    waiting: u64,
    /// Blocks that are not waited for any more.
    ended: u64,
}

impl GridBarrier {
    fn new(blocks: u64) -> GridBarrier {
        GridBarrier { blocks, state: Mutex::default(), passed: AtomicU64::new(0), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, Arrivals> {
        self.state.lock()
    }

    /// A block arrives. It may go on once the barrier has been passed as often as the result says.
    fn arrive(&self) -> u64 {
        let mut state = self.state();
        let times = self.passed.load(Ordering::Relaxed) + 1;
        state.waiting += 1;
        self.conclude(&mut state);
        times
    }

    /// A block ends.
    fn leave(&self) {
        let mut state = self.state();
        state.ended += 1;
        self.conclude(&mut state);
    }

    /// Lets the blocks go on, if none is missing.
    fn conclude(&self, state: &mut Arrivals) {
        if state.waiting > 0 && state.waiting + state.ended == self.blocks {
            state.waiting = 0;
            self.passed.fetch_add(1, Ordering::Release);
            self.changed.notify_all();
        }
    }

    fn passed(&self, times: u64) -> bool {
        self.passed.load(Ordering::Acquire) >= times
    }

    /// Waits until the barrier has been passed so often, or it is `given_up`; then call [`GridBarrier::wake`].
    fn wait(&self, times: u64, given_up: impl Fn() -> bool) {
        let mut state = self.state();
        while !self.passed(times) && !given_up() {
            state = self.changed.wait(state);
        }
    }

    /// Wakes those that wait, so that they see that it is given up.
    fn wake(&self) {
        let _state = self.state();
        self.changed.notify_all();
    }
}
