//! How a launch looks at its arguments, whatever it looks for.

use super::array::{ArraySlice, ViewArgument};
use crate::cpu::access::Access;

/// Is shown the arguments of a launch, in order. That each may be one, the slots of the parameters require: here a bound would
/// only say so twice.
#[doc(hidden)]
pub trait Visitor<'a> {
    /// The next argument is a value.
    fn value<T>(&mut self, value: &'a T);

    /// The next argument is a value, of a kernel with `index = u32`: a `usize` has to fit.
    fn narrow_value<T>(&mut self, value: &'a T);

    /// The next argument is an array.
    fn array<T, M: Access>(&mut self, name: &'static str, array: &'a ArraySlice<'_, T, M>);

    /// The next argument is a view.
    fn view<T, const D: usize, M: Access>(&mut self, name: &'static str, view: &'a ViewArgument<'_, T, D, M>);
}
