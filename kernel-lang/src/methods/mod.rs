//! Built-in methods, as a kernel calls them.
//!
//! In a kernel `x.sqrt()` becomes `x.__device_sqrt(call)`. rustc resolves the method by the type of `x`, as it would
//! resolve `sqrt`, and the result type identifies the method for the compiler. A type has these hidden methods only for
//! operations of the device, so that a host method is not found.
//!
//! `call` is the second parameter, after the receiver or the first argument: a wrong number of arguments is then a
//! single error of rustc, and does not shift the others.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

/// The key of a built-in method of a type: `key!(f32, Sqrt)` if it is primitive, and `key!(u32, [integer::isqrt])` if it
/// is defined in `methods::integer`. The first generic argument of the definition is the type.
macro_rules! key {
    ($this:ty, [$module:ident::$defined:ident $(, $argument:ty)*]) => {
        $crate::definition::DefinedMethod<$crate::methods::$module::$defined<'static, $this $(, $argument)*>>
    };
    ($this:ty, $method:ident) => {
        $crate::definition::MethodKey<{ cumbia_kernel_ir::Method::$method as usize }>
    };
}

/// The primitive method of a key, as for `key!`.
#[cfg(test)]
macro_rules! primitive {
    ([$($defined:tt)*]) => {
        None
    };
    ($method:ident) => {
        Some(cumbia_kernel_ir::Method::$method)
    };
}

pub(crate) use key;
#[cfg(test)]
pub(crate) use primitive;

mod array;
mod conversion;
pub(crate) mod element;
mod elements;
mod fallible;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod iterator;
mod number;
pub(crate) mod option;
pub(crate) mod result;
pub(crate) mod slice;
mod view;

use cumbia_kernel_ir::Method;

pub use array::ArrayMethods;
pub use conversion::{FloatCast, LargeFloatCast, Lossless, NumberCast};
pub use elements::{ElementMethods, ElementMethodsMut, OrderedElement};
pub use fallible::{FALLIBLE, OptionMethods, ResultMethods};
pub use number::FORWARDING;
pub use number::{BitsMethods, HalfMethods, LargeMethods, MixedMethods, NumberMethods, SignedMethods, UnsignedMethods};

use half::{bf16, f16};

use crate::cpu::Call;
use crate::definition::{MethodKey, Returned};
use crate::dim::Dim3;

/// `x.clone()` of a value whose `Clone` is known to be a copy. The `Clone` of a user's type may be written by hand,
/// which cannot be detected, and is compiled for the host only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cloned on a device",
    label = "its `Clone` may be more than a copy",
    note = "why: the `Clone` of this type is compiled for the host only",
    note = "help: copy it: `.copied()` for `.cloned()`"
)]
pub trait CloneMethod: Copy {
    /// `x.clone()`
    #[inline(always)]
    fn __device_clone(&self, _call: Call<'_>) -> Returned<MethodKey<{ Method::Clone as usize }>, Self> {
        Returned::new(*self)
    }
}

/// The operand of a `for` loop by value: an array, whose elements the compiler knows. A user's `IntoIterator` is
/// compiled for the host only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be iterated over on a device",
    label = "not a range, an array or a slice",
    note = "why: the `IntoIterator` of other types is compiled for the host only",
    note = "help: iterate over the indices: `for i in 0..n {{ .. }}`"
)]
pub trait Array: IntoIterator {}

impl<T, const N: usize> Array for [T; N] {}

/// Returns the array of `for v in array`.
#[inline(always)]
pub fn array<A: Array>(array: A) -> A {
    array
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

/// Implements [`CloneMethod`] separately for each type: rustc would find a blanket implementation for all types.
macro_rules! clones {
    ($($scalar:ident)*; $([$($part:ident)*])*) => {
        $(impl CloneMethod for $scalar {})*
        $(impl<$($part: CloneMethod),*> CloneMethod for ($($part,)*) {})*
    };
}

clones! {
    bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Dim3;
    [] [A] [A B] [A B C] [A B C D] [A B C D E] [A B C D E F] [A B C D E F G] [A B C D E F G H]
}

impl<T: CloneMethod, const N: usize> CloneMethod for [T; N] {}

impl<T: CloneMethod> CloneMethod for Option<T> {}

impl<T: CloneMethod, E: CloneMethod> CloneMethod for Result<T, E> {}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod coverage {
    use super::*;
    use crate::number::{FLOAT_METHODS, INTEGER_METHODS};

    #[test]
    fn every_built_in_method_is_implemented() {
        let of_numbers = [FLOAT_METHODS, INTEGER_METHODS].into_iter().flatten().copied().flatten();
        let of_others = [array::METHODS, view::METHODS, &[Method::Clone]].into_iter().flatten().copied();
        let implemented: Vec<Method> = of_numbers.chain(number::primitives()).chain(of_others).collect();
        for method in Method::ALL {
            assert!(implemented.contains(method), "{method:?}");
        }
    }
}
