//! The [`Float`] trait.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::ops::Neg;

use half::{bf16, f16};

mod bits;
mod conversion;
pub(super) mod definitions;

pub use bits::BitsMethods;
#[cfg(test)]
pub(super) use bits::primitives as primitives_of_bits;
use conversion::FloatCast;
pub use conversion::LargeFloatCast;

use super::{Number, half as halves, maths};
use crate::cpu::Call;
#[cfg(test)]
use crate::definition::primitive;
use crate::definition::{Returned, key};
use crate::intrinsics::AtomicAdd;

/// Declares [`Float`], and [`FloatMethods`] with the methods that a kernel calls, and implements the former. `std`: methods
/// that `f32` and `f64` have in the standard library; `ours`: methods that they lack. The 16-bit floats compute both as
/// `f32` and round the result. `exact`: methods that the 16-bit floats implement themselves. `shared`: methods whose
/// device methods are shared with integers.
macro_rules! float {
    (
        std { $($std:tt)* }
        ours { $($ours:tt)* }
        exact { $($exact:tt)* }
        shared { $($shared:tt)* }
    ) => {
        float!(@declare $($std)* $($ours)* $($exact)* ; $($shared)*);
        float!(@large f32 single: $($std)* $($exact)* $($shared)*; $($ours)*);
        float!(@large f64 double: $($std)* $($exact)* $($shared)*; $($ours)*);
        float!(@half f16: $($std)* $($ours)* $($shared)*);
        float!(@half bf16: $($std)* $($ours)* $($shared)*);
    };
    (@declare
        $($(#[$doc:meta])* fn $name:ident as $device:ident $key:tt(self $(, $arg:ident: $ty:ty)*) -> $result:ty;)*
        ;
        $($(#[$shared_doc:meta])* fn $shared:ident(self $(, $shared_arg:ident: $shared_ty:ty)*) -> $shared_result:ty;)*
    ) => {
        /// A floating-point number: [`f16`](struct@f16), [`bf16`], `f32` or `f64`, with the methods that the last two
        /// have in the standard library, and some that CUDA has. The 16-bit floats compute them as `f32`, and round the
        /// result.
        ///
        /// ```
        /// use cumbia::prelude::*;
        ///
        /// #[kernel]
        /// fn root<T: Float>(x: &mut [T]) {
        ///     let i = grid(1);
        ///     if i < x.len() {
        ///         x[i] = T::from_f64(2.0) * x[i].sqrt();
        ///     }
        /// }
        /// # fn main() -> cumbia::Result<()> {
        /// let mut x = Device::cpu().to_device(&[4.0f32, 9.0])?;
        /// root(&mut x).over(2).launch()?;
        /// assert_eq!(x.to_host()?, [4.0, 6.0]);
        /// # Ok(())
        /// # }
        /// ```
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a floating-point type of a device",
            label = "not `f16`, `bf16`, `f32` or `f64`",
            note = "why: its methods are those of floats",
            note = "help: use `f32` or `f64`, to which `x as f32` and `transform` convert; a generic function requires `T: Float`"
        )]
        pub trait Float: Number + WideFloat + FloatCast + Neg<Output = Self> + AtomicAdd {
            /// π
            const PI: Self;
            /// 2π
            const TAU: Self;
            /// e
            const E: Self;
            /// The difference between 1 and the next larger number.
            const EPSILON: Self;
            /// The smallest positive normal number.
            const MIN_POSITIVE: Self;
            /// ∞
            const INFINITY: Self;
            /// −∞
            const NEG_INFINITY: Self;
            /// Not a number.
            const NAN: Self;

            /// Converts to the nearest number of this type: `x as T`.
            #[must_use]
            fn from_f64(x: f64) -> Self;

            $($(#[$doc])* #[must_use] fn $name(self $(, $arg: $ty)*) -> $result;)*
            $($(#[$shared_doc])* #[must_use] fn $shared(self $(, $shared_arg: $shared_ty)*) -> $shared_result;)*
        }

        /// The methods of [`Float`] as a kernel calls them on a float of a known type, implemented separately for each type: rustc would
        /// find a blanket implementation for all types, and mention it where another type lacks such a method.
        #[allow(missing_docs, reason = "each is named after the method")]
        pub trait FloatMethods: Float {
            $(
                #[inline(always)]
                fn $device(self, _call: Call<'_>, ($($arg,)*): ($($ty,)*)) -> Returned<key!(Self, $key), $result> {
                    Returned::new(<Self as Float>::$name(self $(, $arg)*))
                }
            )*
        }

        /// The methods of [`Float`] as a kernel calls them on a value of a generic type. All numbers have them, so that a method of a
        /// `T: Number` is an error about the bound, and not about a missing method. The trait is not in scope in a kernel: the methods of an
        /// integer are not ambiguous. rustc shows its name for those that an integer lacks.
        #[allow(missing_docs, reason = "each is named after the method")]
        pub trait MethodsOfFloatsOnly: Copy {
            $(
                #[inline(always)]
                fn $device(self, _call: Call<'_>, ($($arg,)*): ($($ty,)*)) -> Returned<key!(Self, $key), $result>
                where
                    Self: Float,
                {
                    Returned::new(<Self as Float>::$name(self $(, $arg)*))
                }
            )*
        }

        /// The methods of this trait.
        #[cfg(test)]
        pub(super) const FLOAT_METHODS: &[Option<cumbia_kernel_ir::Method>] = &[$(primitive!($key)),*];
    };
    (@large $float:ident $maths:ident:
        $($(#[$doc:meta])* fn $name:ident $(as $device:ident $key:tt)?(self $(, $arg:ident: $ty:ty)*) -> $result:ty;)*
        ;
        $($(#[$our_doc:meta])* fn $our:ident as $our_device:ident $our_method:ident(self) -> $our_result:ty;)*
    ) => {
        impl Float for $float {
            const PI: Self = std::$float::consts::PI;
            const TAU: Self = std::$float::consts::TAU;
            const E: Self = std::$float::consts::E;
            const EPSILON: Self = $float::EPSILON;
            const MIN_POSITIVE: Self = $float::MIN_POSITIVE;
            const INFINITY: Self = $float::INFINITY;
            const NEG_INFINITY: Self = $float::NEG_INFINITY;
            const NAN: Self = $float::NAN;

            #[inline]
            fn from_f64(x: f64) -> Self {
                x as $float
            }

            $(
                #[inline]
                fn $name(self $(, $arg: $ty)*) -> $result {
                    $float::$name(self $(, $arg)*)
                }
            )*

            $(
                #[inline]
                fn $our(self) -> $our_result {
                    maths::$maths::$our(self)
                }
            )*
        }
    };
    (@half $half:ident:
        $($(#[$doc:meta])* fn $name:ident $(as $device:ident $key:tt)?(self $(, $arg:ident: $ty:ty)*) -> $result:ty;)*
    ) => {
        impl Float for $half {
            const PI: Self = $half::PI;
            const TAU: Self = $half::from_f32_const(std::f32::consts::TAU);
            const E: Self = $half::E;
            const EPSILON: Self = $half::EPSILON;
            const MIN_POSITIVE: Self = $half::MIN_POSITIVE;
            const INFINITY: Self = $half::INFINITY;
            const NEG_INFINITY: Self = $half::NEG_INFINITY;
            const NAN: Self = $half::NAN;

            #[inline]
            fn from_f64(x: f64) -> Self {
                Self::from_f32(halves::nearest_f32_odd(x))
            }

            $(
                #[inline]
                fn $name(self $(, $arg: $ty)*) -> $result {
                    <$result as Widened>::narrow(<f32 as Float>::$name(self.widened() $(, $arg.widened())*))
                }
            )*

            #[inline]
            fn mul_add(self, a: Self, b: Self) -> Self {
                halves::mul_add(self, a, b)
            }

            #[inline]
            fn is_normal(self) -> bool {
                $half::is_normal(self)
            }
        }
    };
}

/// The type in which a float's methods are computed.
pub trait WideFloat {
    /// `f32` for the 16-bit floats, which lack methods, and `Self` for the others.
    type Wide: Float;
}

/// Implements [`WideFloat`] and [`FloatMethods`] for floats, and [`MethodsOfFloatsOnly`] for all numbers.
macro_rules! methods {
    ($($float:ident: $wide:ident),*; $($number:ident),*) => {
        $(
            impl WideFloat for $float {
                type Wide = $wide;
            }

            impl FloatMethods for $float {}
            impl MethodsOfFloatsOnly for $float {}
        )*

        $(impl MethodsOfFloatsOnly for $number {})*
    };
}

methods! { f16: f32, bf16: f32, f32: f32, f64: f64; i8, i16, i32, i64, isize, u8, u16, u32, u64, usize }

/// A parameter or result type of a method of the 16-bit floats, and its counterpart in the method of `f32`.
trait Widened {
    type Wide;
    fn widened(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
}

/// Implements [`Widened`] for the 16-bit floats.
macro_rules! widened {
    ($($half:ident),*) => {$(
        impl Widened for $half {
            type Wide = f32;

            #[inline]
            fn widened(self) -> f32 {
                self.to_f32()
            }

            #[inline]
            fn narrow(wide: f32) -> Self {
                $half::from_f32(wide)
            }
        }
    )*};
}

widened!(f16, bf16);

/// Implements [`Widened`] for types that are the same in both.
macro_rules! same {
    ($($ty:ident),*) => {$(
        impl Widened for $ty {
            type Wide = $ty;

            #[inline]
            fn widened(self) -> $ty {
                self
            }

            #[inline]
            fn narrow(wide: $ty) -> Self {
                wide
            }
        }
    )*};
}

same!(i32, bool);

impl<A: Widened, B: Widened> Widened for (A, B) {
    type Wide = (A::Wide, B::Wide);

    #[inline]
    fn widened(self) -> Self::Wide {
        (self.0.widened(), self.1.widened())
    }

    #[inline]
    fn narrow(wide: Self::Wide) -> Self {
        (A::narrow(wide.0), B::narrow(wide.1))
    }
}

float! {
    std {
        /// √x
        fn sqrt as __device_sqrt Sqrt(self) -> Self;
        /// ∛x
        fn cbrt as __device_cbrt Cbrt(self) -> Self;
        /// eˣ
        fn exp as __device_exp Exp(self) -> Self;
        /// 2ˣ
        fn exp2 as __device_exp2 Exp2(self) -> Self;
        /// eˣ − 1, accurate near 0
        fn exp_m1 as __device_exp_m1 ExpM1(self) -> Self;
        /// The natural logarithm.
        fn ln as __device_ln Ln(self) -> Self;
        /// ln(1 + x), accurate near 0
        fn ln_1p as __device_ln_1p Ln1p(self) -> Self;
        /// The logarithm to a base.
        fn log as __device_log Log(self, base: Self) -> Self;
        /// The logarithm to base 2.
        fn log2 as __device_log2 Log2(self) -> Self;
        /// The logarithm to base 10.
        fn log10 as __device_log10 Log10(self) -> Self;
        /// `self` to the power of `exponent`.
        fn powf as __device_powf Powf(self, exponent: Self) -> Self;
        /// `self` to an integer power.
        fn powi as __device_powi [definitions::powi, Self::Wide](self, exponent: i32) -> Self;
        /// √(x² + y²) without overflow on the way.
        fn hypot as __device_hypot Hypot(self, other: Self) -> Self;
        /// 1 / x
        fn recip as __device_recip Recip(self) -> Self;
        /// The sine of an angle in radians.
        fn sin as __device_sin Sin(self) -> Self;
        /// The cosine of an angle in radians.
        fn cos as __device_cos Cos(self) -> Self;
        /// The tangent of an angle in radians.
        fn tan as __device_tan Tan(self) -> Self;
        /// The sine and the cosine of an angle in radians.
        fn sin_cos as __device_sin_cos SinCos(self) -> (Self, Self);
        /// The arc sine, in radians.
        fn asin as __device_asin Asin(self) -> Self;
        /// The arc cosine, in radians.
        fn acos as __device_acos Acos(self) -> Self;
        /// The arc tangent, in radians.
        fn atan as __device_atan Atan(self) -> Self;
        /// The angle of the point (`other`, `self`), in radians.
        fn atan2 as __device_atan2 Atan2(self, other: Self) -> Self;
        /// The hyperbolic sine.
        fn sinh as __device_sinh Sinh(self) -> Self;
        /// The hyperbolic cosine.
        fn cosh as __device_cosh Cosh(self) -> Self;
        /// The hyperbolic tangent.
        fn tanh as __device_tanh Tanh(self) -> Self;
        /// The inverse hyperbolic sine.
        fn asinh as __device_asinh Asinh(self) -> Self;
        /// The inverse hyperbolic cosine.
        fn acosh as __device_acosh Acosh(self) -> Self;
        /// The inverse hyperbolic tangent.
        fn atanh as __device_atanh Atanh(self) -> Self;
        /// The largest integer that is not above `self`.
        fn floor as __device_floor Floor(self) -> Self;
        /// The smallest integer that is not below `self`.
        fn ceil as __device_ceil Ceil(self) -> Self;
        /// The nearest integer, halves away from zero.
        fn round as __device_round Round(self) -> Self;
        /// The nearest integer, halves to the even one.
        fn round_ties_even as __device_round_ties_even RoundTiesEven(self) -> Self;
        /// The integer part.
        fn trunc as __device_trunc Trunc(self) -> Self;
        /// The part after the point.
        fn fract as __device_fract [definitions::fract, Self::Wide](self) -> Self;
        /// |x|
        fn abs as __device_abs Abs(self) -> Self;
        /// 1 or −1 by the sign; NaN for NaN.
        fn signum as __device_signum Signum(self) -> Self;
        /// `self` with the sign of `sign`.
        fn copysign as __device_copysign Copysign(self, sign: Self) -> Self;
        /// From radians to degrees.
        fn to_degrees as __device_to_degrees ToDegrees(self) -> Self;
        /// From degrees to radians.
        fn to_radians as __device_to_radians ToRadians(self) -> Self;
        /// Not a number.
        fn is_nan as __device_is_nan IsNan(self) -> bool;
        /// Neither infinite nor NaN.
        fn is_finite as __device_is_finite IsFinite(self) -> bool;
        /// ∞ or −∞
        fn is_infinite as __device_is_infinite IsInfinite(self) -> bool;
        /// The sign bit is clear.
        fn is_sign_positive as __device_is_sign_positive IsSignPositive(self) -> bool;
        /// The sign bit is set.
        fn is_sign_negative as __device_is_sign_negative IsSignNegative(self) -> bool;
    }
    ours {
        /// 1 / √x
        fn rsqrt as __device_rsqrt Rsqrt(self) -> Self;
        /// The error function.
        fn erf as __device_erf Erf(self) -> Self;
        /// 1 − erf(x), accurate for large `x`
        fn erfc as __device_erfc Erfc(self) -> Self;
        /// sin(πx)
        fn sinpi as __device_sinpi Sinpi(self) -> Self;
        /// cos(πx)
        fn cospi as __device_cospi Cospi(self) -> Self;
        /// The cumulative distribution function of the standard normal distribution.
        fn normcdf as __device_normcdf Normcdf(self) -> Self;
    }
    exact {
        /// `self * a + b`, rounded once.
        fn mul_add as __device_mul_add MulAdd(self, a: Self, b: Self) -> Self;
        /// Neither zero, subnormal, infinite nor NaN.
        fn is_normal as __device_is_normal IsNormal(self) -> bool;
    }
    shared {
        /// The lesser; a NaN is ignored.
        fn min(self, other: Self) -> Self;
        /// The greater; a NaN is ignored.
        fn max(self, other: Self) -> Self;
        /// `self` between `min` and `max`; a fault where `min > max` or one of them is NaN.
        fn clamp(self, min: Self, max: Self) -> Self;
        /// The quotient of Euclidean division.
        fn div_euclid(self, rhs: Self) -> Self;
        /// The remainder of Euclidean division, never negative.
        fn rem_euclid(self, rhs: Self) -> Self;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_compute_in_single_precision() {
        let x = f16::from_f32(2.0);
        assert_eq!(Float::sqrt(x), f16::from_f32(2.0f32.sqrt()));
        assert_eq!(Float::powi(x, -2), f16::from_f32(0.25));
        assert_eq!(Float::sin_cos(bf16::from_f32(0.0)), (bf16::ZERO, bf16::ONE));
        assert_eq!(Float::min(f16::NAN, x), x);
        assert_eq!(<f16 as Float>::from_f64(0.1), f16::from_f32(0.1));
        assert!(!Float::is_normal(f16::from_f32(1e-5)));
        assert_eq!(bf16::TAU.to_f32(), 6.28125);
    }
}
