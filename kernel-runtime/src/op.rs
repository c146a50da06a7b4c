//! The operators of a kernel: built in, or a `#[device]` function behind them.
//!
//! The body on the CPU applies Rust's own operators to the user's operands. A slot beside each learns the types of the
//! operands, and from them what the operator is to the compiler.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::marker::PhantomData;

use crate::cpu::{Handle, Write};
use crate::kernel::CalleeKey;
use crate::slot::Content;
use crate::types::{Compared, Scalar};

/// Defines a type for each operator, which stands for the trait of Rust's behind it.
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
    /// `x < y` and its like
    Order,
}

/// An operator that a kernel can apply to `Self` and `Rhs`: `O` is one of this module's, and `Rhs` is `()` if it has one
/// operand.
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` is not supported in a kernel",
    label = "no device function behind it",
    note = "why: only operators of numbers are built in, and functions of the host do not run on the device",
    note = "help: write `#[device]` before the `impl` of the operator's trait for `{Self}`"
)]
pub trait Operator<O, Rhs = ()> {
    /// What it is to the compiler.
    type Key: CalleeKey;

    /// Applies an operator that assigns (`+=`) to a place in memory; `assign` applies Rust's own. A function of a device gets
    /// the place itself, as a method does.
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

/// The right operand of an operator that is built in, or none.
#[doc(hidden)]
pub trait Operand {}

impl<T: Scalar> Operand for T {}
impl Operand for () {}

/// What the compiler has an operator for.
#[derive(Debug)]
pub struct BuiltIn;

impl CalleeKey for BuiltIn {
    fn content() -> Content {
        Content::Operator(None)
    }
}

/// Fields that are compared one by one: the key of `==` of a type whose `PartialEq` is derived, and which has no function of
/// its own for it.
pub struct EqualFields<T>(PhantomData<fn() -> T>);

impl<T: Compared + PartialEq> CalleeKey for EqualFields<T> {
    fn content() -> Content {
        T::__device_operator_eq()
    }
}

/// The operators that compare.
#[doc(hidden)]
pub trait Comparison {
    /// As a kernel writes it.
    const NAME: &'static str;
}

impl Comparison for Eq {
    const NAME: &'static str = "==";
}

impl Comparison for Order {
    const NAME: &'static str = "<";
}

/// The key of a comparison of tuples or arrays, whose parts have the keys `K`: they are compared one by one.
pub struct Parts<O, K>(PhantomData<fn() -> (O, K)>);

/// What the parts of a tuple or an array are compared by, as [`Content`]: nothing else than what is built in can be told to the
/// compiler of several at once.
fn of_parts<O: Comparison>(parts: impl IntoIterator<Item = Content>) -> Content {
    for part in parts {
        match part {
            Content::Operator(None) => {}
            refused @ Content::Refused(_) => return refused,
            Content::Operator(Some(_))
            | Content::Function(_)
            | Content::Type(_)
            | Content::Constant(_)
            | Content::Intrinsic(_)
            | Content::Method(_) => {
                return Content::Refused(format!(
                    "error: `{}` of a tuple or an array is not supported in a kernel where its parts have a function for it\n       \
                     why: only what is built in is applied to several parts at once\n       \
                     help: compare the parts: `a.0 == b.0 && a.1 == b.1`",
                    O::NAME
                ));
            }
        }
    }
    Content::Operator(None)
}

#[diagnostic::do_not_recommend]
impl<O: Comparison + 'static, T: Operator<O, T>, const N: usize> Operator<O, [T; N]> for [T; N] {
    type Key = Parts<O, (T::Key,)>;
}

/// Implements comparisons for tuples.
macro_rules! tuples {
    ($($($part:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: Comparison + 'static, $($part: Operator<O, $part>),*> Operator<O, ($($part,)*)> for ($($part,)*) {
            type Key = Parts<O, ($($part::Key,)*)>;
        }

        impl<O: Comparison + 'static, $($part: CalleeKey),*> CalleeKey for Parts<O, ($($part,)*)> {
            fn content() -> Content {
                of_parts::<O>([$($part::content()),*])
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

/// An [`Operator`] with its result: where rustc has found none, and reported it, `T` has no meaning, and nothing is asked.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` is not supported in a kernel",
    label = "no device function behind it",
    note = "why: only operators of numbers are built in, and functions of the host do not run on the device",
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
