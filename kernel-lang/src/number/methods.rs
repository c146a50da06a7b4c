//! Methods that only some numbers have, or whose types differ between numbers.

use cumbia_kernel_ir::Method;
use half::{bf16, f16};

use super::float::definitions as float;
use super::integer::definitions as integer;
use super::{Float, WideFloat};
use crate::cpu::Call;
#[cfg(test)]
use crate::definition::primitive;
use crate::definition::{CalleeKey, MethodKey, Returned, key};

/// Declares a trait with methods of numbers, and forwards each to the method of the same name. Each type in the list is
/// followed by its counterpart (`Other`), such as the unsigned type of a signed one. A method marked `may fault`
/// records the call: the position of Rust's panic would be inside the library.
macro_rules! methods {
    ($(#[$doc:meta])* $trait:ident [$($number:ident $other:ident),*] as $names:ident $methods:tt) => {
        methods!(@declare $(#[$doc])* $trait $names $methods);
        $(methods!(@impl $trait $number $other $methods);)*
    };
    (@declare $(#[$doc:meta])* $trait:ident $names:ident {
        $(fn $name:ident as $device:ident $key:tt $(may $fault:ident)?
            ($this:ident $(, $arg:ident: $ty:ty)*) -> $result:ty;)*
    }) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "each is named after the method")]
        pub trait $trait: Copy {
            type Other;

            $(
                fn $device(
                    $this, call: Call<'_>, _: ($($ty,)*)
                ) -> Returned<key!(Self, $key), $result>;
            )*
        }

        #[cfg(test)]
        const $names: &[Option<Method>] = &[$(primitive!($key)),*];
    };
    (@impl $trait:ident $number:ident $other:ident {
        $(fn $name:ident as $device:ident $key:tt $(may $fault:ident)?
            ($this:ident $(, $arg:ident: $ty:ty)*) -> $result:ty;)*
    }) => {
        impl $trait for $number {
            type Other = $other;

            $(
                #[inline(always)]
                fn $device(
                    $this, call: Call<'_>, ($($arg,)*): ($($ty,)*)
                ) -> Returned<key!(Self, $key), $result> {
                    methods!(@note call $($fault)?);
                    Returned::new($number::$name($this $(, $arg)*))
                }
            )*
        }
    };
    (@note $call:ident fault) => { $call.note() };
    (@note $call:ident) => { _ = $call };
}

/// Methods of all numbers.
#[allow(missing_docs, reason = "each is named after the method")]
pub trait NumberMethods: Copy {
    type DivEuclid: CalleeKey;
    type RemEuclid: CalleeKey;

    fn __device_min(self, call: Call<'_>, _: (Self,)) -> Returned<MethodKey<{ Method::Min as usize }>, Self>;
    fn __device_max(self, call: Call<'_>, _: (Self,)) -> Returned<MethodKey<{ Method::Max as usize }>, Self>;
    fn __device_clamp(self, call: Call<'_>, _: (Self, Self)) -> Returned<MethodKey<{ Method::Clamp as usize }>, Self>;
    fn __device_div_euclid(self, call: Call<'_>, _: (Self,)) -> Returned<Self::DivEuclid, Self>;
    fn __device_rem_euclid(self, call: Call<'_>, _: (Self,)) -> Returned<Self::RemEuclid, Self>;
}

/// Implements [`NumberMethods`] by the trait that provides each method.
macro_rules! numbers {
    ($($ordered:ident $euclid:ident: $($number:ident)*;)*) => {$($(
        impl NumberMethods for $number {
            type DivEuclid = numbers!(@key $euclid $number div_euclid);
            type RemEuclid = numbers!(@key $euclid $number rem_euclid);

            #[inline(always)]
            fn __device_min(self, _call: Call<'_>, (other,): (Self,)) -> Returned<MethodKey<{ Method::Min as usize }>, Self> {
                Returned::new($ordered::min(self, other))
            }

            #[inline(always)]
            fn __device_max(self, _call: Call<'_>, (other,): (Self,)) -> Returned<MethodKey<{ Method::Max as usize }>, Self> {
                Returned::new($ordered::max(self, other))
            }

            #[inline(always)]
            fn __device_clamp(self, call: Call<'_>, (min, max): (Self, Self)) -> Returned<MethodKey<{ Method::Clamp as usize }>, Self> {
                call.note();
                Returned::new($ordered::clamp(self, min, max))
            }

            #[inline(always)]
            fn __device_div_euclid(self, call: Call<'_>, (rhs,): (Self,)) -> Returned<Self::DivEuclid, Self> {
                numbers!(@note call $euclid);
                Returned::new(numbers!(@call $euclid $number div_euclid(self, rhs)))
            }

            #[inline(always)]
            fn __device_rem_euclid(self, call: Call<'_>, (rhs,): (Self,)) -> Returned<Self::RemEuclid, Self> {
                numbers!(@note call $euclid);
                Returned::new(numbers!(@call $euclid $number rem_euclid(self, rhs)))
            }
        }
    )*)*};
    (@key Integer $number:ident $name:ident) => { key!($number, [integer::$name]) };
    (@key Float $number:ident $name:ident) => { key!($number, [float::$name, <$number as WideFloat>::Wide]) };
    (@note $call:ident Integer) => { $call.note() };
    (@note $call:ident Float) => { _ = $call };
    (@call Integer $number:ident $name:ident($($arg:expr),*)) => { $number::$name($($arg),*) };
    (@call Float $number:ident $name:ident($($arg:expr),*)) => { <$number as Float>::$name($($arg),*) };
}

numbers! {
    Ord Integer: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    Float Float: f16 bf16 f32 f64;
}

methods! {
    /// Methods of `f32` and `f64` that the 16-bit floats lack; the counterpart is the type of the bits.
    LargeMethods [f32 u32, f64 u64] as LARGE {
        fn midpoint as __device_midpoint [float::midpoint](self, other: Self) -> Self;
        fn next_up as __device_next_up [float::next_up, Self::Other](self) -> Self;
        fn next_down as __device_next_down [float::next_down, Self::Other](self) -> Self;
        fn is_subnormal as __device_is_subnormal [float::is_subnormal, Self::Other](self) -> bool;
    }
}

/// Conversions of the 16-bit floats.
#[allow(missing_docs, reason = "each is named after the method")]
pub trait HalfMethods: Copy {
    type FromF32;
    type FromF64;

    fn __device_to_f32(self, call: Call<'_>, _: ()) -> Returned<MethodKey<{ Method::ToF32 as usize }>, f32>;
    fn __device_to_f64(self, call: Call<'_>, _: ()) -> Returned<MethodKey<{ Method::ToF64 as usize }>, f64>;
    fn __device_from_f32(x: f32, call: Call<'_>, _: ()) -> Returned<Self::FromF32, Self>;
    fn __device_from_f64(x: f64, call: Call<'_>, _: ()) -> Returned<Self::FromF64, Self>;
}

/// Implements [`HalfMethods`].
macro_rules! halves {
    ($($half:ident $from_f32:ident $from_f64:ident),*) => {$(
        impl HalfMethods for $half {
            type FromF32 = MethodKey<{ Method::$from_f32 as usize }>;
            type FromF64 = MethodKey<{ Method::$from_f64 as usize }>;

            #[inline(always)]
            fn __device_to_f32(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::ToF32 as usize }>, f32> {
                Returned::new(self.to_f32())
            }

            #[inline(always)]
            fn __device_to_f64(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::ToF64 as usize }>, f64> {
                Returned::new(self.to_f64())
            }

            #[inline(always)]
            fn __device_from_f32(x: f32, _call: Call<'_>, (): ()) -> Returned<Self::FromF32, Self> {
                Returned::new($half::from_f32(x))
            }

            #[inline(always)]
            fn __device_from_f64(x: f64, _call: Call<'_>, (): ()) -> Returned<Self::FromF64, Self> {
                // The crate's own conversion rounds twice.
                Returned::new(<$half as Float>::from_f64(x))
            }
        }
    )*};
}

halves!(f16 F16FromF32 F16FromF64, bf16 Bf16FromF32 Bf16FromF64);

methods! {
    /// Methods of signed integers; the counterpart is the unsigned type.
    SignedMethods [i8 u8, i16 u16, i32 u32, i64 u64, isize usize] as SIGNED {
        fn abs as __device_abs Abs may fault(self) -> Self;
        fn signum as __device_signum Signum(self) -> Self;
        fn is_positive as __device_is_positive IsPositive(self) -> bool;
        fn is_negative as __device_is_negative IsNegative(self) -> bool;
        fn wrapping_abs as __device_wrapping_abs [integer::wrapping_abs](self) -> Self;
        fn saturating_neg as __device_saturating_neg [integer::saturating_neg](self) -> Self;
        fn saturating_abs as __device_saturating_abs [integer::saturating_abs](self) -> Self;
        fn overflowing_abs as __device_overflowing_abs [integer::overflowing_abs](self) -> (Self, bool);
        fn unsigned_abs as __device_unsigned_abs UnsignedAbs(self) -> Self::Other;
        fn cast_unsigned as __device_cast_unsigned CastUnsigned(self) -> Self::Other;
        fn wrapping_add_unsigned as __device_wrapping_add_unsigned WrappingAddUnsigned(self, rhs: Self::Other) -> Self;
        fn wrapping_sub_unsigned as __device_wrapping_sub_unsigned WrappingSubUnsigned(self, rhs: Self::Other) -> Self;
        fn saturating_add_unsigned as __device_saturating_add_unsigned SaturatingAddUnsigned(self, rhs: Self::Other) -> Self;
        fn saturating_sub_unsigned as __device_saturating_sub_unsigned SaturatingSubUnsigned(self, rhs: Self::Other) -> Self;
    }
}

methods! {
    /// Methods of unsigned integers; the counterpart is the signed type.
    UnsignedMethods [u8 i8, u16 i16, u32 i32, u64 i64, usize isize] as UNSIGNED {
        fn next_power_of_two as __device_next_power_of_two [integer::next_power_of_two] may fault(self) -> Self;
        fn is_power_of_two as __device_is_power_of_two IsPowerOfTwo(self) -> bool;
        fn div_ceil as __device_div_ceil DivCeil may fault(self, rhs: Self) -> Self;
        fn next_multiple_of as __device_next_multiple_of NextMultipleOf may fault(self, rhs: Self) -> Self;
        fn is_multiple_of as __device_is_multiple_of IsMultipleOf(self, rhs: Self) -> bool;
        fn cast_signed as __device_cast_signed CastSigned(self) -> Self::Other;
        fn wrapping_add_signed as __device_wrapping_add_signed WrappingAddSigned(self, rhs: Self::Other) -> Self;
        fn saturating_add_signed as __device_saturating_add_signed SaturatingAddSigned(self, rhs: Self::Other) -> Self;
    }
}

/// Methods of all integers whose types depend on the signedness, and associated functions.
#[allow(missing_docs, reason = "each is named after the method")]
pub trait MixedMethods: Copy {
    type Unsigned;

    fn __device_abs_diff(
        self,
        call: Call<'_>,
        _: (Self,),
    ) -> Returned<MethodKey<{ Method::AbsDiff as usize }>, Self::Unsigned>;
    fn __device_from_be(x: Self, call: Call<'_>, _: ()) -> Returned<MethodKey<{ Method::FromBe as usize }>, Self>;
    fn __device_from_le(x: Self, call: Call<'_>, _: ()) -> Returned<MethodKey<{ Method::FromLe as usize }>, Self>;
}

/// Implements [`MixedMethods`].
macro_rules! mixed {
    ($($integer:ident $unsigned:ident),*) => {$(
        impl MixedMethods for $integer {
            type Unsigned = $unsigned;

            #[inline(always)]
            fn __device_abs_diff(self, _call: Call<'_>, (other,): (Self,)) -> Returned<MethodKey<{ Method::AbsDiff as usize }>, $unsigned> {
                Returned::new(self.abs_diff(other))
            }

            #[inline(always)]
            fn __device_from_be(x: Self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::FromBe as usize }>, Self> {
                Returned::new($integer::from_be(x))
            }

            #[inline(always)]
            fn __device_from_le(x: Self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::FromLe as usize }>, Self> {
                Returned::new($integer::from_le(x))
            }
        }
    )*};
}

mixed!(
    i8 u8, i16 u16, i32 u32, i64 u64, isize usize, u8 u8, u16 u16, u32 u32, u64 u64, usize usize
);

/// The primitive methods of this module.
#[cfg(test)]
pub(super) fn primitives() -> impl Iterator<Item = Method> {
    let of_macros = [LARGE, SIGNED, UNSIGNED].into_iter().flatten().copied().flatten();
    of_macros.chain([
        Method::Min,
        Method::Max,
        Method::Clamp,
        Method::ToF32,
        Method::F16FromF32,
        Method::Bf16FromF32,
        Method::ToF64,
        Method::F16FromF64,
        Method::Bf16FromF64,
        Method::AbsDiff,
        Method::FromBe,
        Method::FromLe,
    ])
}
