//! The threads of a block as coroutines, for kernels that can reach a barrier.
//!
//! Each thread has a stack of its own and runs until it waits at a barrier or ends. One turn resumes every thread that
//! has not ended, in order; so when a turn ends, all of them have come to a barrier, and the next turn is what the
//! barrier lets through. Threads that ended do not hold a barrier up, as on a GPU.

use std::cell::{Cell, RefCell};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use crate::cpu::block::{BlockMemory, Place};
use crate::cpu::context::Cx;
use crate::cpu::fault::{self, Fault};
use crate::dim::Dim3;
use crate::error::FaultKind;

/// Address space of a thread's stack. Pages are only taken when touched; unwinding a fault needs a few of them.
const STACK_BYTES: usize = 128 * 1024;

thread_local! {
    /// Stacks of threads that ended, for the next ones.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A thread of the block that has not ended.
struct Thread {
    index: Dim3,
    coroutine: Coroutine<(), (), (), DefaultStack>,
}

/// Runs all threads of a block, and gives the fault that ended it. `current` says which thread runs.
pub(crate) fn run_threads(
    place: Place,
    memory: &BlockMemory,
    current: &Cell<Dim3>,
    body: impl Fn(Cx<'_>) + Copy,
) -> Result<(), Fault> {
    let mut threads = begin(place, memory, body)?;
    // A panic in a coroutine comes out of `resume`. The other threads are then at their barriers, and dropping them
    // unwinds their stacks.
    fault::catch(move || {
        while !threads.is_empty() {
            turn(&mut threads, current);
        }
    })
}

/// Resumes each thread once, and forgets those that end.
fn turn(threads: &mut Vec<Thread>, current: &Cell<Dim3>) {
    let mut ended = 0;
    for thread in threads.iter_mut() {
        current.set(thread.index);
        match thread.coroutine.resume(()) {
            CoroutineResult::Yield(()) => {}
            CoroutineResult::Return(()) => ended += 1,
        }
    }
    if ended > 0 {
        for thread in threads.extract_if(.., |thread| thread.coroutine.done()) {
            STACKS.with_borrow_mut(|stacks| stacks.push(thread.coroutine.into_stack()));
        }
    }
}

/// The threads of a block, none of which has run yet.
fn begin(place: Place, memory: &BlockMemory, body: impl Fn(Cx<'_>) + Copy) -> Result<Vec<Thread>, Fault> {
    let mut threads = Vec::with_capacity(place.block_dim.count() as usize);
    let mut result = Ok(());
    place.block_dim.for_each_position(|index| {
        if result.is_err() {
            return;
        }
        match take_stack() {
            Ok(stack) => {
                let coroutine = coroutine(stack, Cx::plain(place, index, memory), body);
                threads.push(Thread { index, coroutine });
            }
            Err(fault) => result = Err(fault),
        }
    });
    result.map(|()| threads)
}

/// A thread as a coroutine.
fn coroutine(stack: DefaultStack, cx: Cx<'_>, body: impl Fn(Cx<'_>) + Copy) -> Coroutine<(), (), (), DefaultStack> {
    // SAFETY: the function asks that what the closure borrows outlives the coroutine. `run_threads` borrows the block's
    // memory and the body for all of its run, and drops every coroutine before it returns.
    unsafe { Coroutine::with_stack_unchecked(stack, move |yielder, ()| body(cx.with_yielder(yielder))) }
}

/// A stack that an earlier thread left, or a new one.
fn take_stack() -> Result<DefaultStack, Fault> {
    if let Some(stack) = STACKS.with_borrow_mut(Vec::pop) {
        return Ok(stack);
    }
    DefaultStack::new(STACK_BYTES).map_err(|error| Fault {
        file: String::from("the CPU device"),
        line: 0,
        column: 0,
        kind: FaultKind::Panic(format!("no memory for the stack of a thread: {error}")),
    })
}
