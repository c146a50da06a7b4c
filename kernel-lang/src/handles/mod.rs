//! The handles of a body on the CPU: what its references, slices, views and receivers are.
//!
//! They are four types, because they hold different data, which a loop keeps in registers, or access it differently: a
//! [`PlaceRef`] is an address, a [`Slice`] has a length, a [`View`] a shape and strides, and a [`Local`] is an address that one
//! thread accesses, non-atomically. A [`Receiver`] is a value by whose type rustc resolves a method, together with one of
//! them. Elements in memory are accessed by relaxed atomic operations only, so that a data race in a kernel gives wrong
//! values but never undefined behaviour.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

pub mod access;
mod array;
mod borrow;
mod handle_array;
mod local;
mod place;
mod range;
mod receiver;
mod slice;
mod types;
mod view;

pub use access::{Read, Write};
pub use borrow::{
    BorrowExpr, IntoPlace, IntoPlaceMut, IntoShared, IntoSlice, IntoSliceMut, IntoView, IntoViewMut, PathReceiver,
    PathReceiverMut, Share, borrow, borrow_mut,
};
pub use handle_array::{Handles, IntoHandles};
pub use local::{Local, LocalArray, LocalMut, LocalRef, LocalSlice};
pub use place::{FieldOf, Indexed, IndexedPlace, PlaceRef};
pub use range::{LengthOf, split_out_of_bounds};
pub use receiver::{Handle, HandleReceiver, Receiver, ReferenceReceiver};
pub use slice::Slice;
pub use view::{Index1, View};
