//! The CPU executor: runs the body that rustc compiled for each thread of a grid, with the blocks in parallel on a
//! thread pool.
//!
//! If the threads of a block synchronise with each other, each of them is a coroutine; otherwise they are a plain loop.
//! The threads of one block share one host thread. The executor knows raw memory only; what a body names is made of it by
//! the [handles](crate::handles).

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

pub(crate) mod block;
mod context;
mod executor;
pub mod fault;
mod location;
mod work_sharing;

pub use context::{Call, CallContext, Cx, DimensionCall, Literal, NoLiteral, Origin};
pub use executor::{GridConfig, MAX_RESIDENT_THREADS, MAX_STACK_BYTES, ThreadFault, run};
pub use location::Location;
pub use work_sharing::to_stdout;
