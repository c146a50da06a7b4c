//! Attributes of compiled kernels.

use crate::device::{Backend, Device};
use crate::error::Result;
use crate::kernel::KernelImpl;
use crate::specialise::{self, Layout};

/// The resource usage of a kernel on a device: `kernel::attributes(&device)`.
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
/// # fn main() -> cumbia::Result<()> {
/// let attributes = double::attributes(&Device::open()?)?;
/// assert_eq!(attributes.local_bytes, 0); // nothing is spilled
/// println!("{} registers, {} threads at most", attributes.registers, attributes.threads_per_block);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attributes {
    /// The maximum number of threads per block for this kernel: less than the device's limit if its register usage is
    /// high, or if it has `launch_bounds`.
    pub threads_per_block: usize,
    /// The number of 32-bit registers per thread; 0 on the CPU.
    pub registers: usize,
    /// The static shared memory per block, in bytes.
    pub shared_bytes: usize,
    /// The local memory per thread, in bytes: spilled registers, and arrays that are indexed dynamically. 0 on the CPU.
    pub local_bytes: usize,
    /// The constant memory in bytes; 0 on the CPU.
    pub constant_bytes: usize,
    /// The architecture of the PTX that the machine code was compiled from, such as `(9, 0)`; `None` on the CPU.
    pub ptx_version: Option<(u32, u32)>,
    /// The architecture of the machine code, such as `(9, 0)`; `None` on the CPU.
    pub binary_version: Option<(u32, u32)>,
}

/// Returns the attributes of a kernel. On a GPU, compiles and loads it first if necessary.
pub(crate) fn of<K: KernelImpl>(device: &Device) -> Result<Attributes> {
    let specialised = specialise::of::<K>()?;
    match device.backend() {
        Backend::Cpu(_) => {
            let limits = device.limits();
            Ok(Attributes {
                threads_per_block: K::OPTIONS.max_threads().map_or(limits.threads_per_block, |most| most as usize),
                shared_bytes: specialised.facts.static_shared_bytes as usize,
                ..Attributes::default()
            })
        }
        Backend::Cuda(context) => Ok(*specialised.module(context, Layout::Contiguous)?.attributes()),
    }
}
