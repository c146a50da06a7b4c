//! The runtime of Cumbia: devices, arrays, launches, and the caches behind them.
//!
//! Use it through the `cumbia` crate. What is marked hidden here is for the code that `#[kernel]` and `#[device]`
//! write.

mod argument;
mod array;
mod cache;
mod config;
#[doc(hidden)]
pub mod cpu;
mod cuda;
mod device;
mod dim;
mod error;
mod fault;
#[doc(hidden)]
pub mod inspect;
pub mod intrinsics;
mod kernel;
mod launch;
mod number;
#[doc(hidden)]
pub mod slot;
mod specialise;
mod types;

pub use argument::{ReadArgument, WriteArgument};
pub use array::DeviceArray;
pub use device::{Device, Limits};
pub use dim::Dim3;
pub use error::{CompileError, DeviceError, Error, FaultKind, LaunchError, Result};
pub use kernel::{KernelInfo, kernels};
pub use launch::{Checked, Launch, Unchecked};
pub use number::{Float, Number};
pub use types::{DeviceType, Element, Storable};

/// For the macros only.
#[doc(hidden)]
pub mod macros {
    pub use crate::argument::{ArraySlice, Binder};
    pub use crate::cpu::access::{Read, Write};
    pub use crate::cpu::fault::overflows;
    pub use crate::cpu::{At, Call, Cx, Elem, IntoSlice, Slice};
    pub use crate::cuda::RawFault;
    pub use crate::inspect;
    pub use crate::kernel::{Callee, CalleeKey, Definition, Kernel, Options};
    pub use crate::launch::{Checked, Emulation, Unchecked};
    pub use crate::slot::{Content, Slot, Slots, contents_of, give};
    pub use inventory;
}
