//! Passes over the finished tree: deferred faults, unrolling of chunks, checks in loops, the end of a kernel, and the verification that variables
//! are initialised.

pub(crate) mod defer;
pub(crate) mod end;
pub(crate) mod opaque;
pub(in crate::lower) mod unroll;
pub(in crate::lower) mod verify;
