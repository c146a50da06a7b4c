//! Operators of numbers: what Rust defines and C does not, as helper functions and comparisons.

pub(in crate::lower) mod arithmetic;
pub(in crate::lower) mod cast;
pub(in crate::lower) mod compare;
pub(in crate::lower) mod float;
pub(in crate::lower) mod integer;
