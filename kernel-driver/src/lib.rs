//! The driver layer: the CUDA driver, NVRTC and NVTX, as raw handles, addresses and records.
//!
//! It knows neither kernels nor arrays, caches or the intermediate representation: those belong to the layers above. Raw
//! values go in; a [`CudaError`] and raw records come out, such as a [`RawFault`] or [`Prints`].
//!
//! [`Nvrtc`] compiles CUDA C to an [`Image`]; a [`Context`] is a GPU; [`Context::load`] loads a [`Module`], which is
//! launched on a [`Stream`] or as a node of a [`Graph`]. Neither the driver nor NVRTC is needed to build this crate: both
//! are located on first use, and a missing one is an error that lists the searched locations.
//!
//! This is an internal crate of Cumbia without any promise of stability. Use the `cumbia` crate.

#![doc(hidden)]

mod context;
mod driver;
mod error;
mod graph;
mod hardware;
mod loader;
mod module;
pub mod nvtx;
mod primary_context;
mod records;
mod stream;
mod sys;
mod toolkit;

use cumbia_kernel_sync as sync;

pub use context::{Context, OpenError, PageLocked, enable_peer_access};
pub use driver::{DRIVER_FUNCTIONS, Driver, DriverFailure, NoDriver, Version};
pub use error::{CudaError, UNKNOWN};
pub use graph::{Copy, CopyDirection, Graph, Node};
pub use hardware::{Pci, Properties, RawLimits};
pub use module::{Attributes, DriverLaunch, Geometry, ImageForm, ImageRejection, Launched, LoadError, Module};
pub use primary_context::{GpuName, PrimaryContext};
pub use records::{
    FAULT_ARGS, FAULT_RECORD_BYTES, LaunchParameter, PRINT_BUFFER_BYTES, PRINT_HEADER_BYTES, Prints, RawFault,
};
pub use stream::{Event, Stream, StreamOptions, run_callback};
pub use sys::{CUcontext, CUdeviceptr, CUstream};
pub use toolkit::{
    Architecture, BadNvrtcReason, Environment, Image, Joined, LibraryFailure, LinkError, LinkFailure, LinkInput,
    LinkInputKind, NoDisassembler, NoNvJitLink, NotAnArchitecture, NvJitLink, Nvrtc, NvrtcArgument, NvrtcError,
    NvrtcFailure, SearchError, SearchOutcome, SearchPlace, Searched, SourceText, Suitability, UnsupportedArchitecture,
    UnsupportedReason, disassemble, disassemblers, stamp_of, variable,
};
