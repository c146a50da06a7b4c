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

use std::cell::Cell;
use std::marker::PhantomData;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::cpu::block::{BlockGeometry, BlockState, CoroutineHandle, End, Wait, deadlock};
use crate::cpu::context::Cx;
use crate::cpu::executor::body::Body;
use crate::cpu::executor::stack_overflow::RunningThread;
use crate::cpu::executor::stack_pool::{WorkerStacks, guard_of};
use crate::cpu::fault::{self, Fault};
use crate::cpu::location::Location;
use crate::fault::FaultKind;

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
                let coroutine = CoroutineHandle::new(&state, yielder, thread);
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
