//! The CPU executor: runs the body that rustc compiled for each thread of a grid, with the blocks in parallel on a
//! thread pool.
//!
//! If the threads of a block synchronise with each other, each of them is a coroutine; otherwise they are a plain loop.
//! The threads of one block share one host thread. Elements are accessed by relaxed atomic operations only, so that a
//! data race in a kernel gives wrong values but never undefined behaviour.
//!
//! The handles of a body are four types, because they hold different data, which a loop keeps in registers, or access it
//! differently: a [`Place`] is an address, a [`Slice`] has a length, a [`View`] a shape and strides, and a
//! [`Local`] is an address that one thread accesses, non-atomically. A [`Receiver`] is a value by whose type rustc
//! resolves a method, together with one of them.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

pub mod access;
mod block;
mod body;
mod borrow;
mod context;
mod coroutine;
pub mod fault;
mod grid;
mod handle_types;
mod local;
mod location;
mod place;
mod range;
mod receiver;
mod slice;
mod stack_overflow;
mod stack_pool;
#[cfg(test)]
mod tests;
mod view;
mod wait;
pub mod warp;
mod work_sharing;

pub use access::{Read, Write};
pub use borrow::{
    IntoPlace, IntoPlaceMut, IntoSlice, IntoSliceMut, IntoView, IntoViewMut, PathReceiver, PathReceiverMut, borrow,
    borrow_mut,
};
pub use context::{Call, CallContext, Cx, DimensionCall, Literal, NoLiteral};
pub use grid::{GridConfig, MAX_RESIDENT_THREADS, MAX_STACK_BYTES, ThreadFault, run};
pub use local::{Local, LocalArray, LocalMut, LocalRef, LocalSlice};
pub use location::Location;
pub use place::{FieldOf, Place};
pub use range::{LengthOf, split_out_of_bounds};
pub use receiver::{Handle, Receiver, ReferenceReceiver};
pub use slice::Slice;
pub use view::{Index1, View};
pub use work_sharing::to_stdout;
