//! What a launch runs, without its type.

use std::cell::Cell;

use crate::cpu::block::{BlockMemory, Position};
use crate::cpu::context::Cx;
use crate::dim::Dim3;

/// A kernel with its arguments. All that runs threads takes one as `&dyn Body`, so that it is compiled once and not again
/// for each kernel of a program, which is where most of the time of compiling one went.
pub(crate) trait Body: Sync {
    /// Runs a thread.
    fn run(&self, cx: Cx<'_>);

    /// Runs the threads of a block one after the other. If one unwinds, `current` tells which, and those behind it have not
    /// run.
    fn run_in_turn(&self, block: Position, memory: &BlockMemory, current: &Cell<Dim3>);
}

impl<F: Fn(Cx<'_>) + Copy + Sync> Body for F {
    fn run(&self, cx: Cx<'_>) {
        self(cx);
    }

    fn run_in_turn(&self, block: Position, memory: &BlockMemory, current: &Cell<Dim3>) {
        // A copy is this function's own, so that what the kernel was given can stay in registers.
        let body = *self;
        block.block_dim.for_each_position(|thread| {
            let noting = OnUnwind { thread, current };
            body(Cx::plain(block, thread, memory));
            std::mem::forget(noting);
        });
    }
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
