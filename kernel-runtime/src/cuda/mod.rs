//! NVIDIA GPUs: the only module that names cudarc, and the only one that loads NVIDIA's libraries.
//!
//! From the outside in: [`compile`] compiles CUDA C to an [`Image`], through the disk cache and `nvrtc`; a [`Context`]
//! is a GPU; [`Context::load`] compiles and loads a [`Module`], which launches. Neither the driver nor NVRTC is needed
//! to build this crate or to run it on the CPU: both are located on first use, and a missing one is an error that lists
//! the searched locations.

mod architecture;
mod context;
mod disassembler;
mod driver;
mod environment;
mod event;
mod exit;
mod fault;
mod geometry;
mod graph;
mod hardware;
mod host;
mod image;
#[cfg(feature = "cudarc")]
mod interop;
mod loader;
mod memory;
mod module;
mod nvrtc;
pub(crate) mod nvtx;
mod parameter;
mod peers;
mod primary;
mod print;
mod ready;
mod refusal;
mod stream;

pub(crate) use architecture::Architecture;
pub(crate) use context::Context;
pub(crate) use disassembler::{disassemble, disassemblers};
pub use driver::DRIVER_FUNCTIONS;
pub(crate) use driver::Driver;
pub(crate) use event::Event;
pub use fault::RawFault;
pub(crate) use geometry::Geometry;
pub(crate) use graph::{Copy, Graph, Node, Way};
pub(crate) use host::PageLocked;
pub(crate) use image::{Flags, Image, Request, compile, precompile};
pub(crate) use module::Module;
pub(crate) use nvrtc::Nvrtc;
pub(crate) use parameter::LaunchParameter;
pub(crate) use peers::connect;
pub(crate) use ready::{Launched, Ready};
pub(crate) use refusal::Refusal;
pub(crate) use stream::{Kind, Stream};
