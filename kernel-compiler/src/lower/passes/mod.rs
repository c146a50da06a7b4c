//! Passes over the finished tree: deferred faults, unrolling of chunks, the end of a kernel, and the verification that variables
//! are initialised.

pub(crate) mod defer;
pub(crate) mod end;
pub(in crate::lower) mod unroll;
pub(in crate::lower) mod verify;
