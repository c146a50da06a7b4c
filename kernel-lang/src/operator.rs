//! Operators of a kernel: built in, or implemented by a `#[device]` function.
//!
//! The CPU body applies Rust's own operators to the user's operands. A slot for each operator infers the operand types,
//! and from them the operator's representation in the IR.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::any::TypeId;
use std::marker::PhantomData;

use crate::definition::{CalleeKey, Compound, Content, Parts, VariantField};
use crate::handles::{Handle, Write};
use crate::types::{Repr, Scalar, VariableType};

/// Defines a marker type for each operator, which represents the operator's trait in Rust.
macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
    )*};
}

operators! {
    /// `x + y`
    Add,
    /// `x - y`
    Sub,
    /// `x * y`
    Mul,
    /// `x / y`
    Div,
    /// `x % y`
    Rem,
    /// `x & y`
    BitAnd,
    /// `x | y`
    BitOr,
    /// `x ^ y`
    BitXor,
    /// `x << y`
    Shl,
    /// `x >> y`
    Shr,
    /// `x += y`
    AddAssign,
    /// `x -= y`
    SubAssign,
    /// `x *= y`
    MulAssign,
    /// `x /= y`
    DivAssign,
    /// `x %= y`
    RemAssign,
    /// `x &= y`
    BitAndAssign,
    /// `x |= y`
    BitOrAssign,
    /// `x ^= y`
    BitXorAssign,
    /// `x <<= y`
    ShlAssign,
    /// `x >>= y`
    ShrAssign,
    /// `-x`
    Neg,
    /// `!x`
    Not,
    /// `x == y` and `x != y`
    Eq,
    /// `x < y` and the other order comparisons
    Order,
}

/// An operator that a kernel can apply to `Self` and `Rhs`: `O` is a marker type of this module, and `Rhs` is `()` for
/// a unary operator.
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` is not supported on a device",
    label = "not implemented by a device function",
    note = "why: only operators of numbers are built in, and host functions do not run on the device",
    note = "help: write `#[device]` before the `impl` of the operator's trait for `{Self}`"
)]
pub trait Operator<O, Rhs = ()> {
    /// The key, which determines the slot content.
    type Key: CalleeKey;

    /// Applies a compound assignment (`+=`) to a place in memory; `assign` applies Rust's own operator. An operator
    /// function of the device receives the place itself, as a method does.
    #[inline(always)]
    fn assign<'k, H>(place: H, right: Rhs, assign: impl FnOnce(&mut Self, Rhs))
    where
        H: Handle<'k, Value = Self, Access = Write>,
        Self: Sized,
    {
        let mut value = place.load();
        assign(&mut value, right);
        place.store(value);
    }
}

#[diagnostic::do_not_recommend]
impl<O, L: Scalar, R: Operand> Operator<O, R> for L {
    type Key = BuiltIn;
}

/// The right operand of a built-in operator, or `()`.
#[doc(hidden)]
pub trait Operand {}

impl<T: Scalar> Operand for T {}
impl Operand for () {}

/// The key of a built-in operator.
#[derive(Debug)]
pub struct BuiltIn;

impl CalleeKey for BuiltIn {
    fn content() -> Content {
        Content::Operator(None)
    }
}

/// Defines the two traits of a comparison, which differ from [`Operator`] and [`Applied`] only in their diagnostics.
/// `$key` is a bound on the key.
macro_rules! comparisons {
    ($(
        $(#[$doc:meta])* $name:ident, $part:ident; $(#[$applied_doc:meta])* $applied:ident;
        $marker:ident [$($key:tt)*] $message:literal, $why:literal, $help:literal;
    )*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "no comparison of `{Self}` on the device",
            note = $why,
            note = $help
        )]
        pub trait $name<R>: Operator<$marker, R $($key)*> {
            /// As [`Operator::Key`].
            type $part: CalleeKey;
        }

        #[diagnostic::do_not_recommend]
        impl<L: Operator<$marker, R $($key)*>, R> $name<R> for L {
            type $part = L::Key;
        }

        $(#[$applied_doc])*
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "no comparison of `{Self}` on the device",
            note = $why,
            note = $help
        )]
        pub trait $applied<R, T, K> {}

        #[diagnostic::do_not_recommend]
        impl<L: $name<R, $part = K>, R, T, K> $applied<R, T, K> for L {}
    )*};
}

comparisons! {
    /// `==` and `!=` of device types: those of scalars, those that `#[device(PartialEq)]` derives, and those of a
    /// `#[device] impl PartialEq`.
    Equal, EqualKey;
    /// [`Equal`], as [`Applied`] is to [`Operator`]. The key `K` is a parameter, since rustc reports a missing
    /// associated type with the diagnostics of [`Operator`].
    AppliedEqual;
    Eq []
    "`==` of `{Self}` is not supported on a device",
    "why: an `impl PartialEq` that is derived or written for the host is not compiled for the device",
    "help: write `#[device(PartialEq)]` before the struct or enum, in place of `PartialEq` in its `#[derive(..)]`; or `#[device]` before an `impl PartialEq` that is written by hand";

    /// `<` and the other order comparisons of device types: those of scalars, and those that `#[device(PartialOrd)]`
    /// derives. All of them are lexicographic comparisons of scalars, and need no function.
    Ordered, OrderedKey;
    /// [`Ordered`], as [`Applied`] is to [`Operator`].
    AppliedOrdered;
    Order [, Key = BuiltIn]
    "`<` of `{Self}` is not supported on a device",
    "why: an `impl PartialOrd` that is derived or written for the host is not compiled for the device",
    "help: write `#[device(PartialEq, PartialOrd)]` before the struct or enum, in place of both in its `#[derive(..)]`; for an order that is written by hand, write a method such as `fn less(self, other: Self) -> bool` in a `#[device] impl`";
}

/// Returns the slot content of `==` of a part of a compound type.
pub fn equality<T: Equal<T>>() -> Content {
    T::EqualKey::content()
}

/// Requires that a part of a compound type is ordered on the device.
pub fn order<T: Ordered<T>>() {}

/// Returns the slot content of `==` of a struct, given the names of its fields and the contents of their `==`. `K` is
/// its key.
pub fn equality_of_fields<K: 'static, T: VariableType>(fields: Vec<(&'static str, Content)>) -> Content {
    let fields = fields.into_iter().map(|(name, content)| (name.to_owned(), content)).collect();
    Compound::content(TypeId::of::<K>(), T::Repr::ty, Parts::Fields(fields))
}

/// Returns the slot content of `==` of an enum with data, given the names of its variants and their fields. `K` is its
/// key.
pub fn equality_of_variants<K: 'static, T: VariableType>(variants: Vec<(&'static str, Vec<VariantField>)>) -> Content {
    let variants = variants.into_iter().map(|(name, fields)| (name.to_owned(), fields)).collect();
    Compound::content(TypeId::of::<K>(), T::Repr::ty, Parts::Variants(variants))
}

/// Returns a field of a variant, given its name and the content of its `==`.
pub fn variant_field<T: VariableType>(name: &str, equal: Content) -> VariantField {
    VariantField { name: name.to_owned(), ty: T::Repr::ty(), equal }
}

/// The key of `==` of the compound type `R`, whose parts have the keys `K`.
pub struct EqualParts<R, K>(PhantomData<fn() -> (R, K)>);

impl<R: Repr, K: CalleeKey, const N: usize> CalleeKey for EqualParts<[R; N], K> {
    fn content() -> Content {
        Compound::content(TypeId::of::<Self>(), <[R; N]>::ty, Parts::Elements(Box::new(K::content())))
    }
}

impl<T: Equal<T> + VariableType, const N: usize> Operator<Eq, [T; N]> for [T; N] {
    type Key = EqualParts<[T::Repr; N], T::EqualKey>;
}

impl<T: Ordered<T>, const N: usize> Operator<Order, [T; N]> for [T; N] {
    type Key = BuiltIn;
}

/// `()` is compared as a part of an `Option` or a `Result`.
impl Operator<Eq, ()> for () {
    type Key = BuiltIn;
}

/// Implements the comparisons of tuples.
macro_rules! tuples {
    ($($($part:ident $key:ident $position:literal)*;)*) => {$(
        impl<$($part: Equal<$part> + VariableType),*> Operator<Eq, ($($part,)*)> for ($($part,)*) {
            type Key = EqualParts<($($part::Repr,)*), ($($part::EqualKey,)*)>;
        }

        impl<$($part: Ordered<$part>),*> Operator<Order, ($($part,)*)> for ($($part,)*) {
            type Key = BuiltIn;
        }

        impl<$($part: Repr, $key: CalleeKey),*> CalleeKey for EqualParts<($($part,)*), ($($key,)*)> {
            fn content() -> Content {
                let parts = vec![$((String::from($position), $key::content())),*];
                Compound::content(TypeId::of::<Self>(), <($($part,)*)>::ty, Parts::Fields(parts))
            }
        }
    )*};
}

tuples! {
    A KeyA "0";
    A KeyA "0" B KeyB "1";
    A KeyA "0" B KeyB "1" C KeyC "2";
    A KeyA "0" B KeyB "1" C KeyC "2" D KeyD "3";
    A KeyA "0" B KeyB "1" C KeyC "2" D KeyD "3" E KeyE "4";
    A KeyA "0" B KeyB "1" C KeyC "2" D KeyD "3" E KeyE "4" F KeyF "5";
    A KeyA "0" B KeyB "1" C KeyC "2" D KeyD "3" E KeyE "4" F KeyF "5" G KeyG "6";
    A KeyA "0" B KeyB "1" C KeyC "2" D KeyD "3" E KeyE "4" F KeyF "5" G KeyG "6" H KeyH "7";
}

impl<T: Equal<T> + VariableType> Operator<Eq, Option<T>> for Option<T> {
    type Key = EqualParts<Option<T::Repr>, T::EqualKey>;
}

impl<T: Ordered<T>> Operator<Order, Option<T>> for Option<T> {
    type Key = BuiltIn;
}

impl<R: Repr, K: CalleeKey> CalleeKey for EqualParts<Option<R>, K> {
    fn content() -> Content {
        let variants = vec![("None".to_owned(), Vec::new()), variant_of_one::<R, K>("Some")];
        Compound::content(TypeId::of::<Self>(), <Option<R>>::ty, Parts::Variants(variants))
    }
}

impl<T: Equal<T> + VariableType, E: Equal<E> + VariableType> Operator<Eq, Result<T, E>> for Result<T, E> {
    type Key = EqualParts<Result<T::Repr, E::Repr>, (T::EqualKey, E::EqualKey)>;
}

impl<T: Ordered<T>, E: Ordered<E>> Operator<Order, Result<T, E>> for Result<T, E> {
    type Key = BuiltIn;
}

impl<R: Repr, S: Repr, K: CalleeKey, L: CalleeKey> CalleeKey for EqualParts<Result<R, S>, (K, L)> {
    fn content() -> Content {
        let variants = vec![variant_of_one::<R, K>("Ok"), variant_of_one::<S, L>("Err")];
        Compound::content(TypeId::of::<Self>(), <Result<R, S>>::ty, Parts::Variants(variants))
    }
}

/// Returns a variant with one field of type `R`, whose `==` has the key `K`.
fn variant_of_one<R: Repr, K: CalleeKey>(name: &str) -> (String, Vec<VariantField>) {
    (name.to_owned(), vec![VariantField { name: "0".to_owned(), ty: R::ty(), equal: K::content() }])
}

/// An [`Operator`] with its result type. If rustc has already reported that the operator does not exist, `T` is an
/// error type, and this bound is not reported as well.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` is not supported on a device",
    label = "not implemented by a device function",
    note = "why: only operators of numbers are built in, and host functions do not run on the device",
    note = "help: write `#[device]` before the `impl` of the operator's trait for `{Self}`"
)]
pub trait Applied<O, R, T> {
    /// As [`Operator::Key`].
    type Key: CalleeKey;

    /// As [`Operator::assign`].
    fn assign<'k, H>(place: H, right: R, assign: impl FnOnce(&mut Self, R))
    where
        H: Handle<'k, Value = Self, Access = Write>,
        Self: Sized;
}

#[diagnostic::do_not_recommend]
impl<O, L: Operator<O, R>, R, T> Applied<O, R, T> for L {
    type Key = L::Key;

    #[inline(always)]
    fn assign<'k, H>(place: H, right: R, assign: impl FnOnce(&mut Self, R))
    where
        H: Handle<'k, Value = Self, Access = Write>,
    {
        <L as Operator<O, R>>::assign(place, right, assign);
    }
}
