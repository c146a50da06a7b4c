//! Methods on places in memory: elements of slices, views and shared arrays, their fields, and referents of references. The
//! receiver is the place itself, not a copy, so that other threads can access it at the same time.

pub mod counters;
pub mod evaluation;
pub mod fields;
pub mod synchronisation;

/// The cases of the modules.
pub(crate) const CASES: &[&[crate::Case]] =
    &[counters::CASES, fields::CASES, synchronisation::CASES, evaluation::CASES];
