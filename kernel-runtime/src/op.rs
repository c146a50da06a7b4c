//! The operators of a kernel: built in, or a `#[device]` function behind them.
//!
//! The body on the CPU applies Rust's own operators to the user's operands. A slot beside each learns the types of the
//! operands, and from them what the operator is to the compiler.

use crate::kernel::CalleeKey;
use crate::slot::Content;
use crate::types::Scalar;

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

/// An [`Operator`] with its result: where rustc has found none, and reported it, `T` has no meaning, and nothing is asked.
#[doc(hidden)]
pub trait Applied<O, R, T> {
    /// As [`Operator::Key`].
    type Key: CalleeKey;
}

#[diagnostic::do_not_recommend]
impl<O, L: Operator<O, R>, R, T> Applied<O, R, T> for L {
    type Key = L::Key;
}
