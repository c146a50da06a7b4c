//! The hidden last parameter of kernels that can fault, print, or synchronise the grid.

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
    /// Returns the parameter of a kernel that neither prints nor synchronises the grid.
    #[inline]
    pub fn new(fault: u64, kernel: u32) -> Self {
        LaunchParameter { fault, print: 0, grid_barrier: 0, kernel, blocks: 0 }
    }
}
