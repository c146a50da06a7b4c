//! What a kernel's body knows on the CPU: which thread it is, and how to fault and wait.

use corosensei::Yielder;

use crate::cpu::block::Block;
use crate::cpu::fault;
use crate::dim::Dim3;
use crate::error::FaultKind;

/// A place in a kernel's source. The macro makes one, as a static, for each operation that can fault or owns storage.
#[derive(Debug, PartialEq, Eq)]
pub struct At {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// Tells the places of one function apart, where a macro wrote two at one position.
    pub id: u32,
}

/// The thread that a body runs as.
#[derive(Clone, Copy)]
pub struct Cx<'k> {
    block: &'k Block,
    thread: Dim3,
    yielder: Option<&'k Yielder<(), ()>>,
}

impl<'k> Cx<'k> {
    /// A thread that cannot wait for others.
    #[inline(always)]
    pub(crate) fn plain(block: &'k Block, thread: Dim3) -> Self {
        Cx { block, thread, yielder: None }
    }

    /// A thread that is a coroutine.
    pub(crate) fn coroutine(block: &'k Block, thread: Dim3, yielder: &'k Yielder<(), ()>) -> Self {
        Cx { block, thread, yielder: Some(yielder) }
    }

    /// Calls `body` as the only thread of a grid of one: what a device function runs in when the host calls it.
    pub fn host<R>(body: impl FnOnce(Cx<'_>) -> R) -> R {
        let block = Block::single();
        body(Cx::plain(&block, Dim3 { x: 0, y: 0, z: 0 }))
    }

    /// The block.
    #[inline(always)]
    pub(crate) fn block(self) -> &'k Block {
        self.block
    }

    /// The thread's index in the block.
    #[inline(always)]
    pub(crate) fn thread(self) -> Dim3 {
        self.thread
    }

    /// The call of a device function or intrinsic from `at`.
    #[inline(always)]
    pub fn call(self, at: &'static At) -> Call<'k> {
        Call { cx: self, at }
    }

    /// Waits until all threads of the block that still run have come here.
    ///
    /// The scheduler resumes every thread once before it resumes any twice. A thread without a coroutine is alone in
    /// its block, or in a kernel whose IR has no barrier.
    pub(crate) fn barrier(self) {
        if let Some(yielder) = self.yielder {
            yielder.suspend(());
        }
    }

    /// The step of a `for`, or a fault where it is 0.
    #[inline(always)]
    pub fn step(self, step: usize, at: &'static At) -> usize {
        if step == 0 {
            self.panic(at, "assertion failed: step != 0");
        }
        step
    }

    /// Ends the launch with a fault at `at`.
    #[cold]
    #[inline(never)]
    pub fn fault(self, at: &'static At, kind: FaultKind) -> ! {
        fault::raise(at, self.thread, kind)
    }

    /// Ends the launch with a `panic!` of the user's, or an assertion of theirs.
    #[cold]
    #[inline(never)]
    pub fn panic(self, at: &'static At, message: &'static str) -> ! {
        self.fault(at, FaultKind::Panic(message.to_owned()))
    }

    /// Ends the launch with an index out of bounds.
    #[cold]
    #[inline(never)]
    pub(crate) fn out_of_bounds(self, at: &'static At, index: usize, len: usize) -> ! {
        self.fault(at, FaultKind::IndexOutOfBounds { index: index as u64, len: len as u64 })
    }
}

/// A call under way: the thread that makes it, and from where.
#[derive(Clone, Copy)]
pub struct Call<'k> {
    /// The caller's thread.
    pub cx: Cx<'k>,
    /// The place of the call.
    pub at: &'static At,
}
