//! The implementation of a kernel by `#[kernel]`, and its options.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use crate::argument::Visitor;
use crate::cpu::Cx;
use crate::definition::Definition;
use crate::kernel_info::KernelInfo;

/// The implementation of a kernel: the supertrait that seals
/// [`Kernel`](crate::Kernel). `#[kernel]` implements it for the type with the
/// kernel's name.
///
/// # Safety
///
/// The parameters of [`KernelImpl::definition`] are the arguments that [`KernelImpl::visit`] visits, in that order; a GPU
/// reads them as such. [`KernelImpl::Views`] consists of values of device types and of the views of arguments: all threads
/// of a grid use them. If [`Options::bounds_checks`] is off, the type of a launch makes launching unsafe.
#[doc(hidden)]
pub unsafe trait KernelImpl: Sized + 'static {
    /// The arguments, as a tuple.
    type Args<'a>: Sync;

    /// The kernel's description.
    const INFO: KernelInfo;
    /// The options of the attribute.
    const OPTIONS: Options;

    /// Returns the IR and its slots.
    fn definition() -> Definition;

    /// Visits the arguments, in order.
    fn visit<'a>(args: &'a Self::Args<'_>, visitor: &mut impl Visitor<'a>);

    /// The arguments as the CPU body takes them: small values, so that a loop over threads keeps them in registers.
    type Views<'k>: Copy;

    /// Creates the views.
    fn views<'k>(args: &'k Self::Args<'_>) -> Self::Views<'k>;

    /// Runs one thread on the CPU.
    fn run(cx: Cx<'_>, views: Self::Views<'_>);
}

/// The options of `#[kernel(..)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "the options are independent switches")]
pub struct Options {
    /// Whether indices are checked: `unchecked` is absent.
    pub bounds_checks: bool,
    /// Whether `a * b + c` may be contracted to a fused multiply-add, as in CUDA C.
    pub fmad: bool,
    /// `fast_math`: approximate division, roots and elementary functions, and flush subnormal numbers to zero.
    pub fast_math: bool,
    /// `max_registers = n`: the maximum number of registers of a thread.
    pub max_registers: Option<u32>,
    /// `launch_bounds(threads, min_blocks)`: the maximum number of threads of a block, and the minimum number of
    /// resident blocks of a multiprocessor.
    pub launch_bounds: Option<(u32, Option<u32>)>,
    /// `block = (x, y, z)`: the only block dimensions that the kernel is launched with.
    pub block: Option<[u32; 3]>,
    /// `index = u32`: `usize` has 32 bits on a GPU.
    pub index32: bool,
    /// `prove`: a launch whose checks are not all proved is rejected.
    pub prove: bool,
    /// `coarsen = n`: the number of logical threads that a CUDA thread executes; 1 for `coarsen = false`. `None` if each
    /// launch decides.
    pub coarsen: Option<u32>,
}

impl Options {
    /// Returns the maximum number of threads of a block that the attribute guarantees to the compiler.
    pub(crate) fn max_threads(&self) -> Option<u32> {
        let fixed = self.block.map(|[x, y, z]| x * y * z);
        self.launch_bounds.map(|(threads, _)| threads).or(fixed)
    }
}
