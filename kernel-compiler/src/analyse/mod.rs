//! Analyses over the validated IR, shared by optimisations and diagnostics.
//!
//! Each analysis computes one kind of fact about a whole function, with its lattice and its transfer function in one
//! place. None depends on C; the output of the lowering is checked by `lower/passes/verify.rs`.
//!
//! - [`mod@access`]: assignments to and borrows of variables.
//! - [`mod@flow`]: definite initialisation at each loop, and loop-invariant variables.

mod access;
mod flow;
#[cfg(test)]
mod tests;

pub(crate) use access::is_reference;
pub(crate) use flow::{Flow, flow};
