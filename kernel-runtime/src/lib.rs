//! The runtime of Cumbia: devices, arrays, kernel launches, and the caches of compiled kernels.
//!
//! Use it through the `cumbia` crate. Items marked `#[doc(hidden)]` are for the code that `#[kernel]` and `#[device]` expand to.

mod argument;
mod array;
mod block_picker;
mod compile;
mod copy;
mod cpu_stream;
mod device;
pub mod doctor;
pub mod error;
mod fault;
mod graph;
mod hazards;
#[doc(hidden)]
pub mod inspect;
mod interop;
mod kernel;
mod kernel_info;
mod launch;
mod layout;
mod memory;
#[doc(hidden)]
pub mod named;
mod options;
mod pinned;
mod print;
mod registry;
mod stream;

pub use compile::cache;
use compile::{precompiled, specialise};
use cumbia_kernel_driver as cuda;
pub use cumbia_kernel_lang::intrinsics;
use cumbia_kernel_lang::{cpu, definition, dim, equality, handles, message, types};
use cumbia_kernel_sync as sync;

pub use argument::{
    HostView, HostViewMut, In, InOut, KernelArgument, Out, ReadArgument, ReadView, Reborrow, WriteArgument, WriteView,
};
pub use array::host::{HostArray, HostArrayMut};
pub use array::shape::Shape;
pub use array::view::{
    ArrayView, ArrayView0, ArrayView1, ArrayView2, ArrayView3, ArrayView4, ArrayViewMut0, ArrayViewMut1, ArrayViewMut2,
    ArrayViewMut3, ArrayViewMut4,
};
pub use array::{DeviceArray, DeviceChunks, DeviceSlice, DeviceSliceMut};
pub use copy::{CopySource, CopyTarget};
pub use cumbia_kernel_lang::dim::Dim3;
pub use cumbia_kernel_lang::handles::access;
pub use cumbia_kernel_lang::number::{Components, Float, Integer, Number};
pub use cumbia_kernel_lang::types::{DeviceType, Scalar};
pub use device::properties::{Limits, MemoryInfo, Pci, Properties};
pub use device::{Device, profile};
pub use doctor::doctor;
pub use error::{
    AlgorithmError, BlockLimit, CompileError, DeviceError, Diagnostic, DriverFailure, Error, FaultKind, GraphError,
    LaunchError, LaunchExtent, MissingConfig, NoClusters, Position, Result, ShapeError, SharedError, Waiting,
};
pub use graph::{Graph, Recorder};
pub use half;
pub use half::{bf16, f16};
pub use inspect::attributes::Attributes;
pub use inspect::checks::Report;
pub use inspect::{Kernel, checks, precompile};
pub use kernel_info::KernelInfo;
pub use launch::{Checked, Launch, Occupancy, Prepared, Unchecked};
pub use pinned::{PinnedArray, PinnedSlice, PinnedSliceMut};
pub use registry::kernels;
pub use stream::event::Event;
pub use stream::{Stream, StreamBuilder};

/// Items for the expansion of the macros only.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::{
        ArgumentMethod, ArraySlice, ByReference, ByValue, HostOf, Received, ReferenceToField, ViewArgument, Visitor,
        host_of, host_view,
    };
    pub use crate::inspect;
    pub use crate::kernel::KernelImpl;
    pub use crate::launch::{Checked, Emulation, Unchecked};
    pub use crate::named;
    pub use crate::options::{Options, block_extents};
    pub use crate::print::decode as printed;
    pub use crate::registry::Registration;
    pub use cumbia_kernel_driver::{DRIVER_FUNCTIONS, RawFault};
    pub use cumbia_kernel_lang::__private::*;
    pub use inventory;
}
