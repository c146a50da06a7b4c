//! Type-erased kernels.

use std::cell::Cell;

use crate::cpu::block::{BlockGeometry, BlockMemory};
use crate::cpu::context::Cx;
use crate::dim::Dim3;

/// A kernel with its arguments. The executor takes it as `&dyn Body`, so that it is compiled once and not instantiated
/// for each kernel of a program, which took most of a kernel's compile time.
pub trait Body: Sync {
    /// Runs one thread.
    fn run(&self, cx: Cx<'_>);

    /// Runs the threads of a block sequentially. If one unwinds, `current` is set to its index, and the threads after
    /// it have not run.
    fn run_sequentially(&self, block: BlockGeometry, memory: &BlockMemory, current: &Cell<Dim3>);
}

impl<F: Fn(Cx<'_>) + Copy + Sync> Body for F {
    fn run(&self, cx: Cx<'_>) {
        self(cx);
    }

    fn run_sequentially(&self, block: BlockGeometry, memory: &BlockMemory, current: &Cell<Dim3>) {
        // A local copy, so that the captured arguments can stay in registers.
        let body = *self;
        block.block_dim.for_each_position(|thread| {
            let record = RecordOnUnwind { thread, current };
            body(Cx::plain(block, thread, memory));
            std::mem::forget(record);
        });
    }
}

/// Records the current thread if it unwinds. Recording it before each thread would be a store to memory that the
/// compiler must assume the thread reads.
struct RecordOnUnwind<'a> {
    thread: Dim3,
    current: &'a Cell<Dim3>,
}

impl Drop for RecordOnUnwind<'_> {
    fn drop(&mut self) {
        self.current.set(self.thread);
    }
}
