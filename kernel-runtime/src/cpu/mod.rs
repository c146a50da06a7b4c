//! The CPU device: rustc compiled the body, and the blocks of a grid run in parallel on a thread pool.
//!
//! A kernel whose threads may wait for each other runs each of them as a coroutine; the threads of any other are a plain
//! loop. The threads of one block share one thread of the host, blocks do not; they touch array elements through
//! relaxed atomics only, so that racing kernels are wrong but never undefined.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

pub mod access;
mod at;
mod block;
mod body;
mod context;
mod coroutine;
mod crew;
pub mod fault;
mod grid;
mod lend;
mod local;
mod place;
mod range;
mod receiver;
mod running;
mod slice;
mod stacks;
mod stream;
#[cfg(test)]
mod tests;
mod view;
mod wait;
pub(crate) mod warp;

pub use access::{Read, Write};
pub use at::At;
pub use context::{Call, Cx};
pub(crate) use grid::{LARGEST_STACK, RESIDENT, Shape, Stopped, run};
pub use lend::{
    IntoPlace, IntoPlaceMut, IntoSlice, IntoSliceMut, IntoView, IntoViewMut, Lend, LendMut, Lent, LentMut, lend,
    lend_mut,
};
pub use local::{Local, LocalArray, LocalMut, LocalRef};
pub use place::{FieldOf, Place};
pub(crate) use range::split_outside;
pub use receiver::{Handle, Receiver};
pub use slice::Slice;
pub(crate) use stream::{Stream, Streams};
pub use view::{Index1, View};
