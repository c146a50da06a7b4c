//! The visitor interface through which a launch traverses its arguments.

use super::array::{ArraySlice, ViewArgument};
use crate::handles::access::Access;

/// A visitor of a launch's arguments, in parameter order. The methods have no bounds on the element types: the slots of the
/// parameters have them, and a second bound would report the same error twice.
#[doc(hidden)]
pub trait Visitor<'a> {
    /// Visits a value.
    fn value<T>(&mut self, value: &'a T);

    /// Visits a value of a kernel with `index = u32`, where a `usize` has to fit into 32 bits.
    fn narrow_value<T>(&mut self, value: &'a T);

    /// Visits an array.
    fn array<T, M: Access>(&mut self, name: &'static str, array: &'a ArraySlice<'_, T, M>);

    /// Visits a view.
    fn view<T, const D: usize, M: Access>(&mut self, name: &'static str, view: &'a ViewArgument<'_, T, D, M>);
}
