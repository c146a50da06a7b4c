//! Conversions between numbers: `u64::from(x)`, `T::cast(x)`.
//!
//! A kernel calls them by hidden names, like all associated functions, so that rustc resolves the path: a function of a
//! `#[device] impl` is found if there is one, and a user's `From` for a number has no hidden function, and is therefore
//! rejected. To the compiler a built-in conversion is a cast.

use std::marker::PhantomData;

use half::{bf16, f16};

use super::Number;
use crate::cpu::Call;
use crate::definition::{CalleeKey, Content, Returned};
use crate::types::Scalar;

/// The key of a conversion to `T`.
pub struct CastTo<T>(PhantomData<fn() -> T>);

impl<T: Scalar> CalleeKey for CastTo<T> {
    fn content() -> Content {
        Content::Cast(T::SCALAR)
    }
}

/// The result of a conversion to `T`.
pub(super) type Converted<T> = Returned<CastTo<T>, T>;

/// `From` between numbers and `bool`, as the standard library and `half` implement it: the lossless conversions.
#[diagnostic::on_unimplemented(
    message = "`{Self}::from` of a `{S}` is not built in, and cannot be called on a device",
    label = "not a device conversion",
    note = "why: device code has the lossless conversions between numbers; your own `From` is compiled for the host only",
    note = "help: write it as a function in a `#[device] impl`; between numbers write `x as {Self}`; a generic function has the bound `{Self}: From<{S}>`"
)]
pub trait Lossless<S>: Scalar {
    /// `T::from(x)`
    fn __device_from(x: S, call: Call<'_>, _: ()) -> Converted<Self>;
}

/// Implements [`Lossless`] for each type, from itself and from the listed types.
macro_rules! lossless {
    ($($to:ident: $($from:ident)*;)*) => {$(
        lossless!(@impl $to $to);
        $(lossless!(@impl $to $from);)*
    )*};
    (@impl $to:ident $from:ident) => {
        #[diagnostic::do_not_recommend]
        impl Lossless<$from> for $to {
            #[inline(always)]
            #[allow(clippy::useless_conversion, reason = "a type converts from itself as well")]
            fn __device_from(x: $from, _call: Call<'_>, (): ()) -> Converted<$to> {
                Returned::new($to::from(x))
            }
        }
    };
}

lossless! {
    bool: ;
    u8: bool;
    u16: bool u8;
    u32: bool u8 u16;
    u64: bool u8 u16 u32;
    usize: bool u8 u16;
    i8: bool;
    i16: bool u8 i8;
    i32: bool u8 u16 i8 i16;
    i64: bool u8 u16 u32 i8 i16 i32;
    isize: bool u8 i8 i16;
    f16: u8 i8;
    bf16: u8 i8;
    f32: bool u8 u16 i8 i16 f16 bf16;
    f64: bool u8 u16 u32 i8 i16 i32 f32 f16 bf16;
}

/// [`Number::cast`] as a kernel calls it.
pub trait NumberCast: Scalar {
    /// `T::cast(x)`
    #[doc(hidden)]
    fn __device_cast<N: Number>(number: N, call: Call<'_>, _: ()) -> Converted<Self>;
}

/// Implements [`NumberCast`] separately for each type: rustc would find a blanket implementation for all types.
macro_rules! casts {
    ($($number:ident)*) => {$(
        impl NumberCast for $number {
            #[inline(always)]
            fn __device_cast<N: Number>(number: N, _call: Call<'_>, (): ()) -> Converted<$number> {
                Returned::new(<$number as Number>::cast(number))
            }
        }
    )*};
}

casts!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64);

/// The types of a literal without a suffix that is cast to `Self`, as rustc infers them: `3_000_000_000 as u64` is a literal of type
/// `u64`, and `1 as f32` one of type `i32`.
pub trait CastLiteral {
    /// That of an integer.
    type Int;
    /// That of a floating-point number.
    type Float;
}

/// Implements [`CastLiteral`], given the types of both literals.
macro_rules! cast_literals {
    ($($ty:ident: $int:ident $float:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl CastLiteral for $ty {
            type Int = $int;
            type Float = $float;
        }
    )*};
}

cast_literals! {
    bool: i32 f64;
    char: u8 f64;
    i8: i8 f64;
    i16: i16 f64;
    i32: i32 f64;
    i64: i64 f64;
    isize: isize f64;
    u8: u8 f64;
    u16: u16 f64;
    u32: u32 f64;
    u64: u64 f64;
    usize: usize f64;
    f32: i32 f32;
    f64: i32 f64;
}
