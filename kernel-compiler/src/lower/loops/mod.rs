//! Loops: over ranges, and those that are not proved to terminate.

pub(in crate::lower) mod endless;
pub(in crate::lower) mod range;
