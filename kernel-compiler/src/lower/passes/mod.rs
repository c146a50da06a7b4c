//! Passes over the finished tree: deferred faults, unrolling of chunks, and the verification that variables are initialised.

pub(crate) mod defer;
pub(in crate::lower) mod unroll;
pub(in crate::lower) mod verify;
