//! What `#[kernel]` and `#[device]` make of a function, as the runtime sees it.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::any::TypeId;
use std::marker::PhantomData;

use cumbia_kernel_ir::ir::Method;

use crate::argument::Visitor;
use crate::cpu::Cx;
use crate::slot::Content;

/// What is known of a kernel before it runs: an entry of [`kernels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The function's name.
    pub name: &'static str,
    /// The module that defines it, as `module_path!()` gives it.
    pub module_path: &'static str,
    /// The source file, as `file!()` gives it.
    pub file: &'static str,
    /// The line of the name, from 1.
    pub line: u32,
    /// The signature in the source.
    pub signature: &'static str,
}

impl KernelInfo {
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        module_path: &'static str,
        file: &'static str,
        line: u32,
        signature: &'static str,
    ) -> Self {
        KernelInfo { name, module_path, file, line, signature }
    }
}

inventory::collect!(KernelInfo);

/// Every kernel of the program, with those of the crates it uses, by module and line. A generic kernel is one entry.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// let double = cumbia::kernels().into_iter().find(|kernel| kernel.name == "double").unwrap();
/// assert_eq!(double.signature, "fn double(x: &mut [f32])");
/// ```
pub fn kernels() -> Vec<&'static KernelInfo> {
    let mut all: Vec<_> = inventory::iter::<KernelInfo>.into_iter().collect();
    all.sort_by_key(|info| (info.module_path, info.file, info.line, info.name));
    all
}

/// The compiled form of a kernel or a device function at one choice of its generic arguments.
#[derive(Clone, Copy)]
pub struct Definition {
    /// Tells instances apart.
    pub(crate) id: TypeId,
    /// The function's path, for messages.
    pub path: &'static str,
    /// The source file.
    pub(crate) file: &'static str,
    /// The encoded [`Function`](cumbia_kernel_ir::ir::Function).
    pub(crate) ir: &'static [u8],
    /// What rustc put into the slots.
    pub(crate) slots: fn() -> Vec<Content>,
    /// Whether integer overflow is a fault where the function was compiled: a profile can set `overflow-checks` apart from
    /// `debug-assertions`.
    pub(crate) overflow_checks: fn() -> bool,
}

impl Definition {
    /// The compiled form with these parts, in the order of the fields.
    ///
    /// # Safety
    ///
    /// The IR may have statements in CUDA C in it: the user has vouched for these with `unsafe(cuda = "..")`. `slots` gives
    /// what the slots hold of the function that the IR was written for.
    pub const unsafe fn new(
        id: TypeId,
        path: &'static str,
        file: &'static str,
        ir: &'static [u8],
        slots: fn() -> Vec<Content>,
        overflow_checks: fn() -> bool,
    ) -> Definition {
        Definition { id, path, file, ir, slots, overflow_checks }
    }

    /// Tells instances apart.
    pub fn id(&self) -> TypeId {
        self.id
    }

    /// What rustc put into the slots.
    pub fn contents(&self) -> Vec<Content> {
        (self.slots)()
    }
}

/// A `#[kernel]`. The macro implements it on the type that has the kernel's name.
///
/// # Safety
///
/// The parameters of [`Kernel::definition`] are what [`Kernel::visit`] shows, in that order; a GPU reads them as such.
/// [`Kernel::Views`] consists of values of device types, and of the views of arguments: all threads of a grid use them.
/// Where [`Options::bounds_checks`] is off, a launch is unsafe by its type.
pub unsafe trait Kernel: Sized + 'static {
    /// The arguments, as a tuple.
    type Args<'a>: Sync;

    /// What the kernel is.
    const INFO: KernelInfo;
    /// What the attribute asked for.
    const OPTIONS: Options;

    /// The IR and its slots.
    fn definition() -> Definition;

    /// Shows the arguments, in order.
    fn visit<'a>(args: &'a Self::Args<'_>, visitor: &mut impl Visitor<'a>);

    /// The arguments as the body on the CPU takes them: small values, so that a loop over threads keeps them in registers.
    type Views<'k>: Copy;

    /// Makes the views.
    fn views<'k>(args: &'k Self::Args<'_>) -> Self::Views<'k>;

    /// Runs one thread on the CPU.
    fn run(cx: Cx<'_>, views: Self::Views<'_>);
}

/// What `#[kernel(..)]` asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the user's")]
pub struct Options {
    /// Without `unchecked`.
    pub bounds_checks: bool,
    /// `a * b + c` may be rounded once, as CUDA C does.
    pub fmad: bool,
    /// `fast_math`: approximations of division, roots and elementary functions, and subnormal numbers are zero.
    pub fast_math: bool,
    /// `max_registers = n`: a thread has at most this many.
    pub max_registers: Option<u32>,
    /// `launch_bounds(threads, min_blocks)`: the most threads of a block, and the least blocks of a multiprocessor.
    pub launch_bounds: Option<(u32, Option<u32>)>,
    /// `block = (x, y, z)`: the only block that the kernel is launched with.
    pub block: Option<[u32; 3]>,
    /// `index = u32`: `usize` has 32 bits on a GPU.
    pub index32: bool,
}

impl Options {
    /// The most threads of a block, by what the attribute promised the compiler.
    pub(crate) fn max_threads(&self) -> Option<u32> {
        let fixed = self.block.map(|[x, y, z]| x * y * z);
        self.launch_bounds.map(|(threads, _)| threads).or(fixed)
    }
}

/// What can be called in a kernel: a `#[device]` function or an intrinsic. The type that implements it has the
/// function's name and is made by each call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be called in a kernel",
    label = "not a device function",
    note = "why: only functions that are compiled for the device can run there",
    note = "help: move what both need into a `#[device]` function, and call that"
)]
pub trait Callee: Sized {
    /// The same type without lifetimes.
    type Key: CalleeKey;
    /// `Self`. Where the trait is not implemented this has no meaning either, so that nothing is said of the method that
    /// the call ends in.
    type This;

    /// The callee itself.
    fn this(self) -> Self::This;
}

/// A [`Callee`] as the content of a slot.
pub trait CalleeKey: 'static {
    /// What it is.
    fn content() -> Content;
}

/// What a method of the device gives: its value, and in its type which method it was.
pub trait MethodResult {
    /// The method.
    type Key: CalleeKey;
    /// What it gives.
    type Value;

    /// The value itself.
    fn value(self) -> Self::Value;
}

/// The result `R` of the method that `K` stands for.
pub struct Returned<K, R> {
    value: R,
    key: PhantomData<fn() -> K>,
}

impl<K, R> Returned<K, R> {
    /// Wraps a result.
    #[inline(always)]
    pub fn new(value: R) -> Self {
        Returned { value, key: PhantomData }
    }
}

impl<K: CalleeKey, R> MethodResult for Returned<K, R> {
    type Key = K;
    type Value = R;

    #[inline(always)]
    fn value(self) -> R {
        self.value
    }
}

/// A method that every program has: the position of a [`Method`] among all.
pub struct MethodKey<const METHOD: usize>;

impl<const METHOD: usize> CalleeKey for MethodKey<METHOD> {
    fn content() -> Content {
        Content::Method(Method::ALL[METHOD])
    }
}

/// The key of a method that no type has. The macro's code for such a call is refused by rustc, so that nobody asks for
/// its content.
pub struct NoKey;

impl CalleeKey for NoKey {
    fn content() -> Content {
        unreachable!("a kernel with an unknown method does not compile")
    }
}
