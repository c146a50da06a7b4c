//! The execution context of a thread: its index, its shared memory, synchronisation and faults.

use std::any::TypeId;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use crate::cpu::block::{BlockGeometry, BlockMemory, CoroutineHandle, Exchange, VoteCount, WARP_SIZE, exchange_values};
use crate::cpu::location::Location;
use crate::cpu::{fault, work_sharing};
use crate::dim::Dim3;

/// The execution context that each compiled body receives.
///
/// It is passed by value and its address is never taken, so that a loop over the threads of a block keeps all of it in
/// registers. Faults do not need it: the code that catches a fault knows which thread ran.
#[derive(Clone, Copy)]
pub struct Cx<'k> {
    geometry: BlockGeometry,
    thread: Dim3,
    memory: &'k BlockMemory,
    function: TypeId,
    coroutine: Option<&'k CoroutineHandle<'k>>,
}

impl<'k> Cx<'k> {
    /// Returns the context of a thread that is not a coroutine.
    #[inline(always)]
    pub(crate) fn plain(geometry: BlockGeometry, thread: Dim3, memory: &'k BlockMemory) -> Self {
        Cx { geometry, thread, memory, function: TypeId::of::<()>(), coroutine: None }
    }

    /// Returns the same context for a thread that is a coroutine.
    #[must_use]
    pub(crate) fn with_coroutine(self, coroutine: &'k CoroutineHandle<'k>) -> Self {
        Cx { coroutine: Some(coroutine), ..self }
    }

    /// Returns the thread's coroutine, if it is one.
    #[inline(always)]
    pub(crate) fn coroutine(self) -> Option<&'k CoroutineHandle<'k>> {
        self.coroutine
    }

    /// Returns the context for the body of the function instance with the key `F`.
    #[inline(always)]
    #[must_use]
    pub fn within<F: 'static>(self) -> Self {
        Cx { function: TypeId::of::<F>(), ..self }
    }

    /// Returns the key of the current function instance.
    #[inline(always)]
    pub(crate) fn function(self) -> TypeId {
        self.function
    }

    /// Calls `body` as the only thread of a grid of one thread, as when the host calls a device function.
    #[inline(always)]
    pub fn host<R>(body: impl FnOnce(Cx<'_>) -> R) -> R {
        let memory = BlockMemory::empty();
        body(Cx::plain(BlockGeometry::SINGLE, Dim3::ZERO, &memory))
    }

    /// Returns the index of the block, and the dimensions of block and grid.
    #[inline(always)]
    pub(crate) fn geometry(self) -> BlockGeometry {
        self.geometry
    }

    /// Returns the thread's index in the block.
    #[inline(always)]
    pub(crate) fn thread(self) -> Dim3 {
        self.thread
    }

    /// Returns the block's shared memory.
    #[inline(always)]
    pub(crate) fn memory(self) -> &'k BlockMemory {
        self.memory
    }

    /// Returns the call context of a device function or intrinsic that is called at `at`.
    #[inline(always)]
    pub fn call(self, at: &'static Location) -> Call<'k> {
        Call { cx: self, at, origin: None }
    }

    /// Returns the call context that the callee declares; see [`CallContext`].
    #[inline(always)]
    pub fn call_of<L, C: CallContext<'k, L>>(self, at: &'static Location) -> C {
        C::of(self.call(at))
    }

    /// Returns the step of a `for` loop; faults if it is 0.
    #[inline(always)]
    pub fn step(self, step: usize, at: &'static Location) -> usize {
        if step == 0 {
            self.panic(at, "assertion failed: step != 0");
        }
        step
    }

    /// Returns the last operand of a call to a function of the standard library that may panic, and records the call:
    /// the panic's position would be inside the library, and the fault must name the call.
    #[inline(always)]
    pub fn calling<T>(self, at: &'static Location, operand: T) -> T {
        fault::note_call(at);
        operand
    }

    /// Prints the message of a `print!` or `println!`.
    #[cold]
    pub fn print(self, message: fmt::Arguments<'_>) {
        work_sharing::print_text(&message.to_string());
    }

    /// Ends the thread with the fault of a `panic!` or a failed assertion.
    #[inline(always)]
    pub fn panic(self, at: &'static Location, message: impl Display) -> ! {
        fault::panic(at, &message)
    }

    /// Ends the thread with the fault of a call to a function that has a body in CUDA C only.
    #[cold]
    pub fn no_body(self, at: &'static Location, name: &str) -> ! {
        fault::panic(
            at,
            &format_args!(
                "`{name}` has no body for the CPU\n  why: it is written in CUDA C\n  \
                 help: give it a Rust body that does the same, or run the kernel on a GPU"
            ),
        )
    }
}

// All of these are inlined, so that only the coroutine handle is read: a `Cx` is large.
impl Cx<'_> {
    /// Returns the thread's number in its block, `x` fastest.
    #[inline(always)]
    pub(crate) fn number(self) -> usize {
        self.geometry().block_dim.number(self.thread())
    }

    /// Waits until all threads of the block that have not ended have arrived. Returns the number of predicates that are
    /// true.
    ///
    /// A thread that is not a coroutine is the only one that the barrier waits for.
    #[inline(always)]
    pub(crate) fn barrier(self, at: &'static Location, operation: &'static str, holds: bool) -> VoteCount {
        match self.coroutine() {
            Some(coroutine) => coroutine.barrier(at, operation, holds),
            None => VoteCount { holds: holds.into(), threads: 1 },
        }
    }

    /// Waits until all threads of the grid have arrived.
    #[inline(always)]
    pub(crate) fn grid_barrier(self, at: &'static Location, operation: &'static str) {
        if let Some(coroutine) = self.coroutine() {
            coroutine.grid_barrier(at, operation);
        }
    }

    /// Returns the value of a `return` from the kernel, and records that the thread exits by it: barriers do not wait
    /// for it.
    #[inline(always)]
    pub fn returning<T>(self, value: T) -> T {
        if let Some(coroutine) = self.coroutine() {
            coroutine.mark_returning();
        }
        value
    }

    /// Returns the mask of the lanes of the warp that are converged with this one.
    #[inline(always)]
    pub(crate) fn active_mask(self, at: &'static Location, operation: &'static str) -> u32 {
        self.coroutine().map_or(1 << self.lane(), |coroutine| coroutine.active_mask(at, operation))
    }

    /// Counts a failed poll of memory, after which the thread may have to yield to the thread that writes the value.
    #[inline(always)]
    pub(crate) fn spin(self, at: &'static Location, operation: &'static str) {
        if let Some(coroutine) = self.coroutine() {
            coroutine.spin(at, operation);
        }
    }

    /// Returns the thread's number in its warp.
    #[inline(always)]
    pub(crate) fn lane(self) -> u32 {
        (self.number() % WARP_SIZE) as u32
    }

    /// Exchanges values with the lanes that `mask` names.
    #[inline(always)]
    pub(crate) fn exchange<X: Exchange>(self, at: &'static Location, mask: u32, input: X::Input) -> X::Output {
        exchange_values::<X>(self.coroutine(), self.lane(), at, mask, input)
    }
}

/// The context of a call: the calling thread and the call's location.
#[derive(Clone, Copy)]
pub struct Call<'k> {
    /// The calling thread.
    pub cx: Cx<'k>,
    /// The location of the call.
    pub at: &'static Location,
    /// The receiver's place, if it is in memory.
    origin: Option<Origin<'k>>,
}

impl<'k> Call<'k> {
    /// Returns the same call with a receiver in memory.
    #[inline(always)]
    #[must_use]
    pub fn on(self, origin: Origin<'k>) -> Self {
        Call { origin: Some(origin), ..self }
    }

    /// Returns the receiver's place, if it is in memory.
    #[inline(always)]
    pub fn origin(self) -> Option<Origin<'k>> {
        self.origin
    }

    /// Records a call to a function of the standard library that may panic, as [`Cx::calling`] does.
    #[inline(always)]
    pub fn note(self) {
        fault::note_call(self.at);
    }
}

/// The memory that the receiver of a [`Call`] represents.
#[derive(Clone, Copy)]
pub struct Origin<'k> {
    /// The address of a value of type `ty` that is valid for `'k`, and may be written if it is `writable`.
    address: *mut (),
    ty: TypeId,
    writable: bool,
    lifetime: PhantomData<&'k ()>,
}

impl Origin<'_> {
    /// # Safety
    ///
    /// For `'k` there must be a live, initialised `T` at `address`, aligned, though its bits need not be a value. All
    /// accesses by other threads are atomic; if it is `writable`, nothing else relies on its value.
    #[inline(always)]
    pub unsafe fn new<T: 'static>(address: *mut T, writable: bool) -> Self {
        Origin { address: address.cast(), ty: TypeId::of::<T>(), writable, lifetime: PhantomData }
    }

    /// Returns the address if the value is of type `T`, and may be written if `writable`.
    #[inline(always)]
    pub fn address_of<T: 'static>(self, writable: bool) -> Option<*mut T> {
        (self.ty == TypeId::of::<T>() && (self.writable || !writable)).then(|| self.address.cast())
    }
}

/// The context of a call, in the form that the type of the callee declares: [`Call`], or [`DimensionCall`] if an argument
/// determines the type of the result. `L` is [`Literal<N>`](Literal) if the only argument of the call is the integer
/// literal `N`, and [`NoLiteral`] otherwise.
#[diagnostic::on_unimplemented(
    message = "the number of dimensions is not the literal 1, 2 or 3",
    label = "expected 1, 2 or 3",
    note = "why: the number of dimensions determines the type of the result",
    note = "help: write `grid(1)` for a `usize`, `grid(2)` for `(x, y)`, `grid(3)` for `(x, y, z)`"
)]
pub trait CallContext<'k, L> {
    /// Returns the context of `call`.
    fn of(call: Call<'k>) -> Self;
}

/// The only argument of a call, an integer literal.
pub struct Literal<const N: usize>;

/// Any other list of arguments.
pub struct NoLiteral;

/// The context of a call whose argument is the number of dimensions. rustc infers `N` from the only implementation of
/// [`CallContext`] for the literal; for any other argument it stays unknown, which is not a second error.
#[derive(Clone, Copy)]
pub struct DimensionCall<'k, const N: usize>(pub Call<'k>);

impl<'k, L> CallContext<'k, L> for Call<'k> {
    #[inline(always)]
    fn of(call: Call<'k>) -> Self {
        call
    }
}

/// Implements [`CallContext`] for the numbers of dimensions.
macro_rules! dimensions {
    ($($n:literal),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'k> CallContext<'k, Literal<$n>> for DimensionCall<'k, $n> {
            #[inline(always)]
            fn of(call: Call<'k>) -> Self {
                DimensionCall(call)
            }
        }
    )*};
}

dimensions!(1, 2, 3);
