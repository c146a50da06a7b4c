//! The implementation of a kernel by `#[kernel]`.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::any::TypeId;

use crate::argument::Visitor;
use crate::cpu::Cx;
use crate::definition::Definition;
use crate::error::Result;
use crate::kernel_info::KernelInfo;
use crate::options::Options;
use crate::specialise::{self, KernelSource, Specialised};

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

/// A kernel as a value: code that takes it instead of a type parameter is compiled once for all kernels.
#[derive(Clone, Copy)]
pub(crate) struct ErasedKernel {
    pub(crate) name: &'static str,
    pub(crate) id: TypeId,
    source: fn() -> KernelSource,
}

impl ErasedKernel {
    pub(crate) fn of<K: KernelImpl>() -> ErasedKernel {
        ErasedKernel { name: K::INFO.name, id: TypeId::of::<K>(), source: source_of::<K> }
    }

    /// Returns the kernel's description.
    pub(crate) fn info(self) -> KernelInfo {
        (self.source)().info
    }

    /// Returns the kernel's path and generic arguments.
    pub(crate) fn path(self) -> &'static str {
        (self.source)().instance
    }

    /// Returns the specialised kernel.
    ///
    /// # Errors
    ///
    /// [`CompileError::Rejected`](crate::CompileError::Rejected).
    pub(crate) fn specialised(self) -> Result<&'static Specialised> {
        specialise::of(self.id, self.source)
    }
}

/// Returns the specialised kernel of a type, as [`ErasedKernel::specialised`] does.
pub(crate) fn specialised<K: KernelImpl>() -> Result<&'static Specialised> {
    ErasedKernel::of::<K>().specialised()
}

/// Returns what a kernel is compiled from.
#[inline(never)]
fn source_of<K: KernelImpl>() -> KernelSource {
    KernelSource { info: K::INFO, instance: std::any::type_name::<K>(), options: K::OPTIONS, definition: K::definition }
}
