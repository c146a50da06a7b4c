//! Compilation: from a kernel's type to code that is loaded on a GPU.
//!
//! [`specialise`] builds the program of a monomorphised kernel and its CUDA C, in [`variants`] that a launch selects
//! from. A [`request`] of that source and its options leads to an [`image`]: from the directory of [`precompiled`]
//! kernels, the disk [`cache`], or [`nvrtc`] and, if it has functions in linked files, [`link`]; [`load`] loads it on a GPU. [`precompile`](crate::inspect::precompile) does all
//! but the last step ahead of time.

pub(crate) mod build;
pub mod cache;
pub(crate) mod image;
mod link;
mod load;
mod nvrtc;
mod partial;
pub(crate) mod precompiled;
mod proof;
mod request;
pub(crate) mod specialise;
mod user_error;
pub(crate) mod variants;
mod version_note;

pub(crate) use image::compile;
pub(crate) use load::{LoadedKernel, load};
pub(crate) use request::{Flags, Request};
