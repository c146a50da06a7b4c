//! Diagnostics for methods that views do not have: each is declared with a bound that no type satisfies, whose
//! `#[diagnostic::on_unimplemented]` states the remedy for a view. The general message for a method of this name would be about
//! slices, iterators or `Option`.

use std::iter::Empty;

use crate::cpu::Call;
use crate::definition::{NoKey, Returned};
use crate::handles::access::Access;
use crate::handles::{PlaceRef, Read, View, Write};
use crate::types::DeviceType;

/// Implemented for no type.
#[diagnostic::on_unimplemented(
    message = "a part of a view is no `Option` in a kernel",
    label = "a view, not an `Option` or a `Result`",
    note = "why: `row`, `column`, `plane` and `volume` return the view itself, and fault if the index is out of bounds",
    note = "help: remove the call: `a.column(0)[i]`"
)]
pub trait OptionOfView {}

/// Implemented for no type.
#[diagnostic::on_unimplemented(
    message = "this method of slices is not supported on a view",
    label = "a view, not a slice or an array",
    note = "why: the elements of a view need not be contiguous",
    note = "help: write a loop over a view of one dimension, `for v in a.row(i).iter() {{ sum += v; }}` or `for v in a.row_mut(i).iter_mut() {{ *v = 0.0; }}`; a view of contiguous elements is a slice: `view.as_slice().unwrap()`"
)]
pub trait SliceMethodOfView {}

/// Implemented for no type.
#[diagnostic::on_unimplemented(
    message = "a view of several dimensions cannot be iterated over in a kernel",
    label = "not a view of one dimension",
    note = "why: a `for` loop has one index, and an element of this view has one for each dimension",
    note = "help: loop over the parts and their elements: `for i in 0..a.nrows() {{ for v in a.row(i).iter() {{ .. }} }}`"
)]
pub trait IteratedView {}

/// Declares methods with a bound that is never satisfied, and with this result. One with the type `R` that the caller expects causes
/// no second error.
macro_rules! rejected {
    ($bound:ident $generics:tt $result:ty: $($name:ident($($arg:ident),*))*) => {
        impl<T: DeviceType, const D: usize, M: Access> View<'_, T, D, M> {
            $(
                rejected!(@method $bound $generics $result: $name($($arg),*));
            )*
        }
    };
    (@method $bound:ident ($($generic:ident)?) $result:ty: $name:ident($($arg:ident),*)) => {
        #[allow(missing_docs, reason = "each is named after the method")]
        pub fn $name<$($generic,)? $($arg),*>(self, _: Call<'_>, _: ($($arg,)*)) -> Returned<NoKey, $result>
        where
            Self: $bound,
        {
            unreachable!("the bound is implemented for no type")
        }
    };
}

rejected!(OptionOfView () Self: __device_unwrap() __device_unwrap_or(A));
rejected!(OptionOfView () bool: __device_is_some() __device_is_none() __device_is_ok() __device_is_err());
rejected! {
    SliceMethodOfView () ():
    __device_fill(A) __device_swap(A, B) __device_reverse() __device_copy_from_slice(A) __device_sort() __device_sort_unstable()
}
rejected! {
    SliceMethodOfView (R) R:
    __device_sum() __device_product() __device_max() __device_min()
    __device_iter_sum() __device_iter_product() __device_iter_max() __device_iter_min()
    __device_contains(A) __device_get_copied(A) __device_first_copied() __device_last_copied()
}

/// Declares the iterators of views that have none.
macro_rules! iterators {
    ($($dimensions:literal),*) => {$(
        #[allow(clippy::unused_self, reason = "they are called like those of views of one dimension")]
        impl<'k, T: DeviceType, M: Access> View<'k, T, $dimensions, M> {
            /// `v.iter()`, an error.
            pub fn __elements(self) -> Empty<PlaceRef<'k, T, Read>>
            where
                Self: IteratedView,
            {
                unreachable!("the bound is implemented for no type")
            }

            /// `v.iter_mut()`, an error.
            pub fn __elements_mut(self) -> Empty<PlaceRef<'k, T, Write>>
            where
                Self: IteratedView,
            {
                unreachable!("the bound is implemented for no type")
            }

            /// `for &v in x`, an error.
            pub fn __values(self) -> Empty<T>
            where
                Self: IteratedView,
            {
                unreachable!("the bound is implemented for no type")
            }
        }
    )*};
}

iterators!(0, 2, 3, 4);
