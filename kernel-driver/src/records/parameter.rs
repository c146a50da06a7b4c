//! The hidden last parameter of kernels that can fault, print, or synchronise the grid.

use std::ffi::c_void;

/// The hidden parameter in the layout of the kernels. All addresses are device addresses.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchParameter {
    /// The address of the stream's fault record.
    pub fault: u64,
    /// The address of the print buffer; 0 for a kernel that does not print.
    pub print: u64,
    /// The address of the grid barrier; 0 for a kernel without one.
    pub grid_barrier: u64,
    /// The kernel's number in fault records.
    pub kernel: u32,
    /// The number of blocks of the launch along one axis, for a kernel whose CUDA blocks execute several of them; 0 for
    /// any other kernel.
    pub blocks: u32,
}

impl LaunchParameter {
    /// Returns a pointer to the value of the last parameter, in the form that `cuLaunchKernel` takes, if the kernel takes it.
    #[inline]
    pub fn pointer_to(last: &mut Option<LaunchParameter>) -> Option<*mut c_void> {
        last.as_mut().map(|last| std::ptr::from_mut(last).cast())
    }
}
