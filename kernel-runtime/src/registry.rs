//! The kernels of a program, which `#[kernel]` collects at link time.

use crate::kernel::{ErasedKernel, KernelImpl};
use crate::kernel_info::KernelInfo;

/// A kernel of the program. The macro registers each.
#[doc(hidden)]
pub struct Registration {
    info: KernelInfo,
    /// The kernel, if it is not generic: it has a single instance, which can be compiled ahead of its first launch.
    instance: Option<fn() -> ErasedKernel>,
}

impl Registration {
    /// Returns the registration of a kernel without generic parameters.
    pub const fn of<K: KernelImpl>() -> Registration {
        Registration { info: K::INFO, instance: Some(ErasedKernel::of::<K>) }
    }

    /// Returns the registration of a generic kernel.
    pub const fn generic(info: KernelInfo) -> Registration {
        Registration { info, instance: None }
    }
}

inventory::collect!(Registration);

/// Returns every kernel of the program and of the crates it uses, except those of Cumbia's own algorithms, by module and line. A
/// generic kernel is one entry.
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
    // A program cannot name those of the algorithms: it launches them by functions.
    let is_own = |info: &KernelInfo| info.module_path.split("::").next() == Some("cumbia_kernel_algorithm");
    sorted().into_iter().map(|registration| &registration.info).filter(|info| !is_own(info)).collect()
}

/// Returns the non-generic kernels of the program, by module and line.
pub(crate) fn instances() -> impl Iterator<Item = ErasedKernel> {
    sorted().into_iter().filter_map(|registration| registration.instance).map(|instance| instance())
}

fn sorted() -> Vec<&'static Registration> {
    let mut all: Vec<&Registration> = inventory::iter::<Registration>.into_iter().collect();
    all.sort_by_key(|Registration { info, .. }| (info.module_path, info.file, info.line, info.name));
    all
}
