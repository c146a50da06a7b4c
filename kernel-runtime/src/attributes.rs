//! What the compiler made of a kernel, on a device.

use crate::device::{Backend, Device};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::specialise::{self, Layout};

/// What a kernel needs of a device: `kernel::attributes(&device)`.
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
    /// The most threads in a block of this kernel: fewer than the device's limit where each needs many registers, or where
    /// the kernel has `launch_bounds`.
    pub threads_per_block: usize,
    /// Registers of 32 bits of each thread; 0 on the CPU.
    pub registers: usize,
    /// Bytes of shared memory in the kernel's own arrays.
    pub shared_bytes: usize,
    /// Bytes of local memory of each thread: registers that did not suffice, and arrays that are indexed by variables. 0 on
    /// the CPU.
    pub local_bytes: usize,
    /// Bytes of constant memory; 0 on the CPU.
    pub constant_bytes: usize,
    /// The architecture of the PTX that the machine code was made of, such as `(9, 0)`; `None` on the CPU.
    pub ptx_version: Option<(u32, u32)>,
    /// The architecture of the machine code, such as `(9, 0)`; `None` on the CPU.
    pub binary_version: Option<(u32, u32)>,
}

/// The attributes of a kernel. On a GPU, it is compiled and loaded unless it was before.
#[doc(hidden)]
pub fn of<K: Kernel>(device: &Device) -> Result<Attributes> {
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
