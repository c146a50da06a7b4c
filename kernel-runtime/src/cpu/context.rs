//! What a kernel's body knows on the CPU: which thread it is, what it shares, and how to wait and to fault.

use std::any::TypeId;
use std::fmt::{self, Display};

use crate::cpu::at::At;
use crate::cpu::block::{BlockMemory, Position};
use crate::cpu::coroutine::Member;
use crate::cpu::receiver::Origin;
use crate::cpu::{crew, fault};
use crate::dim::Dim3;

/// The thread that a body runs as.
///
/// It is a plain value, and nothing takes its address: so a loop over the threads of a block keeps all of it in
/// registers. A fault does not need it either, whoever catches the fault knows which thread ran.
#[derive(Clone, Copy)]
pub struct Cx<'k> {
    position: Position,
    thread: Dim3,
    memory: &'k BlockMemory,
    function: TypeId,
    member: Option<&'k Member<'k>>,
}

impl<'k> Cx<'k> {
    /// A thread that cannot wait for others.
    #[inline(always)]
    pub(crate) fn plain(position: Position, thread: Dim3, memory: &'k BlockMemory) -> Self {
        Cx { position, thread, memory, function: TypeId::of::<()>(), member: None }
    }

    /// The same thread as a coroutine.
    pub(crate) fn with_member(self, member: &'k Member<'k>) -> Self {
        Cx { member: Some(member), ..self }
    }

    /// The thread as a coroutine, if it is one.
    #[inline(always)]
    pub(crate) fn member(self) -> Option<&'k Member<'k>> {
        self.member
    }

    /// The same thread in the body of the function, at its choice of generic arguments, that `F` stands for.
    #[inline(always)]
    #[must_use]
    pub fn within<F: 'static>(self) -> Self {
        Cx { function: TypeId::of::<F>(), ..self }
    }

    /// What stands for the function that runs.
    #[inline(always)]
    pub(crate) fn function(self) -> TypeId {
        self.function
    }

    /// Calls `body` as the only thread of a grid of one: what a device function runs in when the host calls it.
    #[inline(always)]
    pub fn host<R>(body: impl FnOnce(Cx<'_>) -> R) -> R {
        let memory = BlockMemory::empty();
        body(Cx::plain(Position::SINGLE, Dim3::ZERO, &memory))
    }

    /// The block's place in the grid.
    #[inline(always)]
    pub(crate) fn position(self) -> Position {
        self.position
    }

    /// The thread's index in the block.
    #[inline(always)]
    pub(crate) fn thread(self) -> Dim3 {
        self.thread
    }

    /// The memory that the threads of the block share.
    #[inline(always)]
    pub(crate) fn memory(self) -> &'k BlockMemory {
        self.memory
    }

    /// The call of a device function or intrinsic from `at`.
    #[inline(always)]
    pub fn call(self, at: &'static At) -> Call<'k> {
        Call { cx: self, at, origin: None }
    }

    /// The step of a `for`, or a fault where it is 0.
    #[inline(always)]
    pub fn step(self, step: usize, at: &'static At) -> usize {
        if step == 0 {
            self.panic(at, "assertion failed: step != 0");
        }
        step
    }

    /// Passes on the last operand of a function of the standard library's that may panic: the panic would name a position
    /// in the library, and the fault is to name the call.
    #[inline(always)]
    pub fn calling<T>(self, at: &'static At, operand: T) -> T {
        fault::note_call(at);
        operand
    }

    /// Prints what `print!` or `println!` of the user's says.
    #[cold]
    pub fn print(self, message: fmt::Arguments<'_>) {
        crew::say(&message.to_string());
    }

    /// Ends the thread with a `panic!` of the user's, or an assertion of theirs.
    #[inline(always)]
    pub fn panic(self, at: &'static At, message: impl Display) -> ! {
        fault::panic(at, &message)
    }

    /// Ends the thread at the call of a function that the user wrote in CUDA C only.
    #[cold]
    pub fn no_body(self, at: &'static At, name: &str) -> ! {
        fault::panic(
            at,
            &format_args!(
                "`{name}` has no body for the CPU\n  why: it is written in CUDA C\n  \
                 help: give it a Rust body that does the same, or run the kernel on a GPU"
            ),
        )
    }
}

/// A call under way: the thread that makes it, and from where.
#[derive(Clone, Copy)]
pub struct Call<'k> {
    /// The caller's thread.
    pub cx: Cx<'k>,
    /// The place of the call.
    pub at: &'static At,
    /// Where the receiver is, if that is a place in memory.
    origin: Option<Origin<'k>>,
}

impl<'k> Call<'k> {
    /// The same call, on a receiver in memory.
    #[inline(always)]
    pub(crate) fn on(self, origin: Origin<'k>) -> Self {
        Call { origin: Some(origin), ..self }
    }

    /// Where the receiver is, if that is a place in memory.
    #[inline(always)]
    pub(crate) fn origin(self) -> Option<Origin<'k>> {
        self.origin
    }

    /// Remembers the call of a function of the standard library's that may panic, as [`Cx::calling`] does.
    #[inline(always)]
    pub(crate) fn note(self) {
        fault::note_call(self.at);
    }
}
