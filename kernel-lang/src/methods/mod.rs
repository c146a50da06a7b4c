//! Built-in methods of slices, arrays, views, `Option` and `Result`, as a kernel calls them. Those of numbers are in
//! [`number`](crate::number).
//!
//! In a kernel `x.sqrt()` becomes `x.__device_sqrt(call, ())`. rustc resolves the method by the type of `x`, as it would
//! resolve `sqrt`, and the result type identifies the method for the compiler. A type has these hidden methods only for
//! operations of the device, so that a host method is not found.
//!
//! `call` is the second parameter, after the receiver or the first argument, and the arguments behind it are a tuple: a wrong number of
//! them is a tuple of another length, and rustc's error counts only what the user wrote.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

mod array;
mod element;
mod elements;
mod fallible;
mod iterator;
mod slice;
mod view;
mod view_errors;

pub use array::ArrayMethods;
pub use elements::{ElementMethods, ElementMethodsMut};
pub use fallible::{OptionMethods, ResultMethods};

use crate::handles::Handles;
use crate::types::CloneMethod;

/// The operand of a `for` loop by value: an array, whose elements the compiler knows. A user's `IntoIterator` is
/// compiled for the host only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be iterated over on a device",
    label = "not a range, an array or a slice parameter",
    note = "why: the `IntoIterator` of other types is compiled for the host only",
    note = "help: iterate over the indices, `for i in 0..n {{ .. }}`, or over the elements of a view or of a slice in a field, `for v in p.x.iter() {{ .. }}`"
)]
pub trait Array {
    /// The array. Of another type it is unknown, so that rustc does not report that it is no `IntoIterator` as well.
    type This: IntoIterator;

    /// Returns the array.
    fn this(self) -> Self::This;
}

impl<T, const N: usize> Array for [T; N] {
    type This = Self;

    #[inline(always)]
    fn this(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<H: Copy, const N: usize> Array for Handles<H, N> {
    type This = Self;

    #[inline(always)]
    fn this(self) -> Self {
        self
    }
}

/// Returns the array of `for v in array`.
#[inline(always)]
pub fn array<A: Array>(array: A) -> A::This {
    array.this()
}

/// Returns the elements of `x.iter().cloned()`, which a kernel copies.
#[inline(always)]
pub fn cloned<I: Iterator>(elements: I) -> I
where
    I::Item: CloneMethod,
{
    elements
}

/// A blanket implementation of the iterator methods. It makes a user's trait method of the same name ambiguous, so that
/// rustc reports it.
pub trait OwnIterator {
    /// `x.iter()`
    fn __device_iter(&self) {}

    /// `x.iter_mut()`
    fn __device_iter_mut(&self) {}

    /// `x.into_iter()`
    fn __device_into_iter(&self) {}
}

impl<T: ?Sized> OwnIterator for T {}

#[cfg(test)]
mod coverage {
    use cumbia_kernel_ir::Method;

    use super::*;
    use crate::number;

    #[test]
    fn every_built_in_method_is_implemented() {
        let of_others = [array::METHODS, view::METHODS, &[Method::Clone]].into_iter().flatten().copied();
        let implemented: Vec<Method> = number::primitives().chain(of_others).collect();
        for method in Method::ALL {
            assert!(implemented.contains(method), "{method:?}");
        }
    }
}
