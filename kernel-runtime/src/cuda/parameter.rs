//! What a kernel takes last if it can fault, print, or wait for its grid.

use cumbia_kernel_ir::LAUNCH_BYTES;

/// `rt::Launch` of the emitted CUDA C. The addresses are the device's.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchParameter {
    /// Of the stream's fault record.
    pub(crate) fault: u64,
    /// 0 for a kernel that does not print.
    pub(crate) print: u64,
    /// 0 for a kernel without a barrier for the grid.
    pub(crate) grid_barrier: u64,
    /// What a fault record calls the kernel.
    pub(crate) kernel: u32,
    /// So that all bytes of it are known.
    pub(crate) pad: u32,
}

const _: () = assert!(size_of::<LaunchParameter>() == LAUNCH_BYTES);

impl LaunchParameter {
    /// That of a kernel which neither prints nor has a barrier for the grid.
    pub(crate) fn new(fault: u64, kernel: u32) -> Self {
        LaunchParameter { fault, print: 0, grid_barrier: 0, kernel, pad: 0 }
    }
}
