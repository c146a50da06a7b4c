//! Slots: kernels that rustc types and resolves easily, and that a macro, which sees tokens only, could treat wrongly. The
//! result of each shows which variable, type or constant was used.

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
