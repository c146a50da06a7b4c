//! GPU kernels written as ordinary Rust functions.
pub use cumbia_kernel_macros::{device, kernel, launch};
pub use cumbia_kernel_runtime::{
    Checked, CompileError, Device, DeviceArray, DeviceError, DeviceType, Dim3, Element, Error, FaultKind, Float,
    KernelInfo, Launch, LaunchError, Limits, Number, ReadArgument, Result, Storable, Unchecked, WriteArgument, kernels,
};
pub use cumbia_kernel_runtime::intrinsics;

/// What a program with kernels needs: `use cumbia::prelude::*;`.
pub mod prelude {
    pub use crate::intrinsics::{
        atomic_add, block_dim, block_idx, dynamic_shared, dynamic_shared_at, grid, grid_dim, grid_size, shared,
        sync_threads, thread_idx,
    };
    pub use crate::{Device, DeviceArray, Dim3, Float, Launch, Number, device, kernel, launch};
}

#[doc(hidden)]
pub use cumbia_kernel_runtime::macros as __private;
