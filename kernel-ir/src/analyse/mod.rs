//! Analyses over the validated IR, which optimisations and diagnostics share.
//!
//! Each computes one kind of fact about a whole function, with its lattice and its transfer function in one place. None of
//! them looks at C: what the lowering makes of a function is checked by `lower/verify.rs`.
//!
//! - [`access`]: the variables that an expression assigns or borrows.
//! - [`flow`]: definite initialisation at each loop, and the variables that are invariant in it.

mod access;
mod flow;
#[cfg(test)]
mod tests;

pub(crate) use access::is_reference;
pub(crate) use flow::{Flow, flow};
