//! The parameters of a kernel, which the parts of its body refer to.

use std::rc::Rc;

use super::scope::Tally;
use super::view::View;
use crate::types::Type;

/// The parameters of a kernel.
pub(super) struct Params {
    /// Scalars, the same for all threads.
    pub(super) values: Vec<(String, Type)>,
    /// Arrays that are read.
    pub(super) inputs: Vec<(String, Type, usize)>,
    /// Arrays of which each thread owns the given number of elements.
    pub(super) outputs: Vec<(String, Type, usize)>,
    /// Arrays that all threads add to with atomics.
    pub(super) sums: Vec<(String, Type, &'static str)>,
    /// Arrays that the kernel accesses through a view.
    pub(super) views: Vec<View>,
    /// An array of structs that all threads add to through methods.
    pub(super) tally: Option<Rc<Tally>>,
}
