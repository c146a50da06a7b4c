//! The slots' mechanism: kernels that are easy for rustc to type and to resolve, and easy to get wrong for a macro that sees
//! tokens only. Each has a result that tells which variable, type or constant was taken.

pub mod constants;
pub mod generics;
pub mod literals;
pub mod macros;
pub mod names;
pub mod scopes;
pub mod sizes;

/// The cases of the modules.
pub(crate) const CASES: &[&[crate::Case]] =
    &[scopes::CASES, literals::CASES, constants::CASES, generics::CASES, names::CASES, macros::CASES, sizes::CASES];
