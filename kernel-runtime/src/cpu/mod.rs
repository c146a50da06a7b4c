//! The CPU device: rustc compiled the body, and the blocks of a grid run in parallel on a thread pool.
//!
//! A kernel that can reach a barrier runs each of its threads as a coroutine; the threads of any other are a plain
//! loop. The threads of one block share one thread of the host, blocks do not; they touch array elements through
//! relaxed atomics only, so that racing kernels are wrong but never undefined.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

pub mod access;
mod at;
mod block;
mod context;
mod coroutine;
pub mod fault;
mod grid;
mod view;

pub use access::{Read, Write};
pub use at::At;
pub(crate) use block::Place;
pub use context::{Call, Cx};
pub(crate) use grid::{Shape, Stopped, run};
pub use view::{Elem, IntoSlice, Slice, Storage};
