//! Conversions between integers that fail for some values: `u8::try_from(x)`, `x.try_into()`.
//!
//! Their errors are those of the standard library: `TryFromIntError`, or `Infallible` where `From` exists.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::convert::Infallible;
use std::num::TryFromIntError;

use cumbia_kernel_ir::{ConstantValue, Type};
use cumbia_kernel_macros::device;

use half::{bf16, f16};

use super::Integer;
use super::conversion::{Converted, Lossless};
use crate::cpu::Call;
use crate::definition::{CalleeKey, DefinedMethod, Returned};
use crate::operator::{BuiltIn, Eq, Operator};
use crate::types::{ConstantType, Scalar, Valued, VariableType, has_device_layout};

/// Implements the traits for an error without a value: a unit in the IR.
macro_rules! errors {
    ($($error:ident: $sample:expr;)*) => {$(
        has_device_layout!([] $error;);

        impl VariableType for $error {
            type Repr = ();

            fn sample(_variant: usize) -> Option<Self> {
                $sample
            }
        }

        impl Operator<Eq, $error> for $error {
            type Key = BuiltIn;
        }

        impl ConstantType for $error {
            type Repr = ();
            type Value = $error;

            #[inline(always)]
            fn value(self) -> $error {
                self
            }
        }

        impl Valued<$error> for () {
            fn ty() -> Type {
                Type::Unit
            }

            fn of(_: &$error) -> ConstantValue {
                ConstantValue::Parts(Vec::new())
            }
        }
    )*};
}

errors! {
    TryFromIntError: u8::try_from(-1).err();
    Infallible: None;
}

/// The error of a conversion whose result does not fit. The standard library has no constant of this type.
//
// SAFETY: the type has no size, so that it has a single value.
const OUT_OF_RANGE: TryFromIntError = unsafe { std::mem::transmute::<(), TryFromIntError>(()) };

/// The definition of a conversion for the device. The result is the number if its value survives the way back, with its sign.
#[device]
pub fn try_from<S: Integer, T: Integer>(x: S) -> Result<T, TryFromIntError> {
    let result = T::cast(x);
    if S::cast(result) == x && (result < T::ZERO) == (x < S::ZERO) { Ok(result) } else { Err(OUT_OF_RANGE) }
}

/// As [`try_from`], where every value fits.
#[device]
pub fn from<S: Integer, T: Integer>(x: S) -> Result<T, Infallible> {
    Ok(T::cast(x))
}

/// `TryFrom` between integers, as the standard library implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}::try_from` of a `{S}` is not built in, and cannot be called on a device",
    label = "not a device conversion",
    note = "why: device code has the conversions between integers; your own `TryFrom` is compiled for the host only",
    note = "help: write it as a function in a `#[device] impl`; between other numbers write `x as {Self}`"
)]
pub trait TryConversion<S>: Scalar {
    /// `TryFrom::Error`
    type Error: VariableType;
    /// The key of the definition.
    type Key: CalleeKey;

    /// `T::try_from(x)`
    fn __device_try_from(x: S, call: Call<'_>, _: ()) -> Returned<Self::Key, Result<Self, Self::Error>>;
}

/// `x.into()` and `x.try_into()` of a number.
pub trait IntoMethods: Scalar {
    /// `x.into()`
    #[inline(always)]
    fn __device_into<T: Lossless<Self>>(self, call: Call<'_>, (): ()) -> Converted<T> {
        T::__device_from(self, call, ())
    }

    /// `x.try_into()`
    #[inline(always)]
    fn __device_try_into<T: TryConversion<Self>>(
        self,
        call: Call<'_>,
        (): (),
    ) -> Returned<T::Key, Result<T, T::Error>> {
        T::__device_try_from(self, call, ())
    }
}

/// Implements [`IntoMethods`] separately for each type: rustc would find a blanket implementation for all types.
macro_rules! into_methods {
    ($($number:ident)*) => {$(
        impl IntoMethods for $number {}
    )*};
}

into_methods!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64);

/// Implements [`TryConversion`] from each of the first types and from each of the others, where `From` exists.
macro_rules! conversions {
    ($($to:ident: $($fallible:ident)*; from $($lossless:ident)*;)*) => {$(
        $(conversions!(@impl $to $fallible TryFromIntError try_from);)*
        $(conversions!(@impl $to $lossless Infallible from);)*
    )*};
    (@impl $to:ident $from:ident $error:ident $definition:ident) => {
        #[diagnostic::do_not_recommend]
        impl TryConversion<$from> for $to {
            type Error = $error;
            type Key = DefinedMethod<$definition<'static, $from, $to>>;

            #[inline(always)]
            #[allow(clippy::useless_conversion, reason = "a type converts from itself as well")]
            fn __device_try_from(x: $from, _call: Call<'_>, (): ()) -> Returned<Self::Key, Result<$to, $error>> {
                Returned::new($to::try_from(x))
            }
        }
    };
}

conversions! {
    u8: u16 u32 u64 usize i8 i16 i32 i64 isize; from u8;
    u16: u32 u64 usize i8 i16 i32 i64 isize; from u8 u16;
    u32: u64 usize i8 i16 i32 i64 isize; from u8 u16 u32;
    u64: usize i8 i16 i32 i64 isize; from u8 u16 u32 u64;
    usize: u32 u64 i8 i16 i32 i64 isize; from u8 u16 usize;
    i8: u8 u16 u32 u64 usize i16 i32 i64 isize; from i8;
    i16: u16 u32 u64 usize i32 i64 isize; from u8 i8 i16;
    i32: u32 u64 usize i64 isize; from u8 u16 i8 i16 i32;
    i64: u64 usize isize; from u8 u16 u32 i8 i16 i32 i64;
    isize: u16 u32 u64 usize i32 i64; from u8 i8 i16 isize;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the definition with the standard library for values at the limits of all types.
    macro_rules! agree {
        ($($to:ident)*; $from:tt) => {
            $(agree!(@to $to $from);)*
        };
        (@to $to:ident [$($from:ident)*]) => {
            $({
                let limits = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 1i128 << bits);
                let values = limits.into_iter().flat_map(|limit| [limit - 1, limit, limit + 1, -limit - 1, -limit]);
                for value in values.chain(-1..=1) {
                    let Ok(x) = $from::try_from(value) else { continue };
                    assert_eq!(try_from::<$from, $to>(x).ok(), $to::try_from(x).ok(), "{x} of {}", stringify!($from $to));
                }
            })*
        };
    }

    #[test]
    fn the_definition_agrees_with_the_standard_library() {
        agree!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize; [i8 i16 i32 i64 isize u8 u16 u32 u64 usize]);
    }
}
