//! NVIDIA GPUs: the only module that names cudarc, and the only one that loads NVIDIA's libraries.
//!
//! [`Nvrtc`] compiles CUDA C to an [`Image`]; a [`Context`] is a GPU; [`Context::load`] loads a [`Module`], which
//! launches. Neither the driver nor NVRTC is needed
//! to build this crate or to run it on the CPU: both are located on first use, and a missing one is an error that lists
//! the searched locations.

mod architecture;
mod context;
mod disassembler;
mod driver;
mod driver_launch;
mod environment;
mod error;
mod event;
mod exit;
mod fault;
mod geometry;
mod graph;
mod hardware;
mod loader;
mod memory;
mod module;
mod nvrtc;
pub(crate) mod nvtx;
mod page_locked;
mod parameter;
mod peer_access;
mod primary_context;
mod print;
mod stream;

pub(crate) use architecture::Architecture;
pub(crate) use context::Context;
pub(crate) use disassembler::{disassemble, disassemblers};
pub use driver::DRIVER_FUNCTIONS;
pub(crate) use driver::Driver;
pub(crate) use driver_launch::{DriverLaunch, Launched};
pub(crate) use environment::{Environment, stamp_of};
pub(crate) use error::{CudaError, UNKNOWN};
pub(crate) use event::Event;
pub use fault::RawFault;
pub(crate) use fault::{FAULT_ARGS, FAULT_RECORD_BYTES};
pub(crate) use geometry::Geometry;
pub(crate) use graph::{Copy, CopyDirection, Graph, Node};
pub(crate) use module::{LoadError, Module};
pub(crate) use nvrtc::{Image, Nvrtc, NvrtcError, SearchError, SourceText, UnsupportedArchitecture, Version};
pub(crate) use page_locked::PageLocked;
pub(crate) use parameter::LaunchParameter;
pub(crate) use peer_access::enable_peer_access;
pub(crate) use print::{PRINT_BUFFER_BYTES, PRINT_HEADER_BYTES, Prints};
pub(crate) use stream::{Stream, StreamOptions};
