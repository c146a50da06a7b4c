//! Running a grid: its blocks in parallel, each on one thread of the pool.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::cpu::block::{BlockMemory, Place};
use crate::cpu::context::Cx;
use crate::cpu::coroutine;
use crate::cpu::fault::{self, Fault};
use crate::dim::Dim3;

/// How to run a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    /// Bytes of dynamic shared memory for each block.
    pub(crate) shared_bytes: usize,
    /// The kernel can reach a barrier, so that the threads of a block run side by side.
    pub(crate) side_by_side: bool,
}

/// A fault, and where in the grid it was.
pub(crate) struct Stopped {
    pub(crate) block: Dim3,
    pub(crate) thread: Dim3,
    pub(crate) fault: Fault,
}

/// Runs `body` once for each thread of the grid, and gives the first fault. After a fault no further block is begun.
pub(crate) fn run(shape: Shape, body: impl Fn(Cx<'_>) + Copy + Sync) -> Option<Stopped> {
    fault::install_hook();
    let blocks = shape.grid.count();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let first: Mutex<Option<Stopped>> = Mutex::new(None);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= blocks {
                break;
            }
            if let Err(stopped) = run_block(shape, shape.grid.position(number), body) {
                stop.store(true, Ordering::Relaxed);
                first.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(stopped);
            }
        }
    };
    let workers = workers(shape).min(blocks);
    if workers == 1 {
        work();
    } else {
        rayon::scope(|scope| (0..workers).for_each(|_| scope.spawn(|_| work())));
    }
    first.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How many blocks run at once. Each coroutine's stack is two mappings of the process (the stack and its guard page),
/// of which Linux grants 65,530 by default, so large blocks on a machine of many cores are held back.
fn workers(shape: Shape) -> u64 {
    const STACKS: u64 = 16 * 1024;
    let threads = rayon::current_num_threads() as u64;
    if shape.side_by_side { threads.min(STACKS / shape.block.count().max(1)).max(1) } else { threads }
}

/// Runs one block.
fn run_block(shape: Shape, block: Dim3, body: impl Fn(Cx<'_>) + Copy) -> Result<(), Stopped> {
    let memory = BlockMemory::new(shape.shared_bytes);
    let place = Place { block_idx: block, block_dim: shape.block, grid_dim: shape.grid };
    let current = Cell::new(Dim3::ZERO);
    let result = if shape.side_by_side {
        coroutine::run_threads(place, &memory, &current, body)
    } else {
        fault::catch(|| {
            shape.block.for_each_position(|thread| {
                let noting = OnUnwind { thread, current: &current };
                body(Cx::plain(place, thread, &memory));
                std::mem::forget(noting);
            });
        })
    };
    result.map_err(|fault| Stopped { block, thread: current.get(), fault })
}

/// Notes which thread ran when it unwinds. Noting it before each thread would be a store to memory that the compiler has to
/// assume the thread reads.
struct OnUnwind<'a> {
    thread: Dim3,
    current: &'a Cell<Dim3>,
}

impl Drop for OnUnwind<'_> {
    fn drop(&mut self) {
        self.current.set(self.thread);
    }
}
