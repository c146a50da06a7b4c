//! What generic kernels can ask of their types.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use crate::intrinsics::AtomicAdd;
use crate::types::Element;

/// A number: `i8` to `i64`, `u8` to `u64`, `isize`, `usize`, `f32`, `f64`.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn scale<T: Number>(factor: T, x: &mut [T]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= factor;
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let mut x = device.to_device(&[1u8, 2, 3])?;
/// scale(10, &mut x).over(3).launch()?;
/// assert_eq!(x.to_host()?, [10, 20, 30]);
/// # Ok(())
/// # }
/// ```
pub trait Number:
    Element
    + Display
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + Default
    + Debug
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// The lowest finite value.
    const MIN: Self;
    /// The highest finite value.
    const MAX: Self;
}

/// Implements [`Number`].
macro_rules! numbers {
    ($($number:ident $zero:literal $one:literal),* $(,)?) => {$(
        impl Number for $number {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = $number::MIN;
            const MAX: Self = $number::MAX;
        }
    )*};
}

numbers! {
    i8 0 1, i16 0 1, i32 0 1, i64 0 1, isize 0 1, u8 0 1, u16 0 1, u32 0 1, u64 0 1, usize 0 1, f32 0.0 1.0, f64 0.0 1.0,
}

/// Declares [`Float`] with its methods, and forwards each to the method of the same name of `f32` and `f64`.
macro_rules! float {
    ($($(#[$doc:meta])* fn $name:ident(self $(, $arg:ident: $ty:ty)*) -> $result:ty;)*) => {
        /// A floating-point number: `f32` or `f64`, with the methods that both have in the standard library.
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
        pub trait Float: Number + Neg<Output = Self> + AtomicAdd {
            /// π
            const PI: Self;
            /// The difference between 1 and the next larger number.
            const EPSILON: Self;
            /// ∞
            const INFINITY: Self;
            /// Not a number.
            const NAN: Self;

            /// The nearest number of this type: `x as T`.
            #[must_use]
            fn from_f64(x: f64) -> Self;

            $($(#[$doc])* #[must_use] fn $name(self $(, $arg: $ty)*) -> $result;)*
        }

        float!(@impl f32 $($name($($arg: $ty),*) -> $result;)*);
        float!(@impl f64 $($name($($arg: $ty),*) -> $result;)*);
    };
    (@impl $float:ident $($name:ident($($arg:ident: $ty:ty),*) -> $result:ty;)*) => {
        impl Float for $float {
            const PI: Self = std::$float::consts::PI;
            const EPSILON: Self = $float::EPSILON;
            const INFINITY: Self = $float::INFINITY;
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
        }
    };
}

float! {
    /// √x
    fn sqrt(self) -> Self;
    /// ∛x
    fn cbrt(self) -> Self;
    /// eˣ
    fn exp(self) -> Self;
    /// 2ˣ
    fn exp2(self) -> Self;
    /// eˣ − 1, accurate near 0
    fn exp_m1(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// ln(1 + x), accurate near 0
    fn ln_1p(self) -> Self;
    /// The logarithm to base 2.
    fn log2(self) -> Self;
    /// The logarithm to base 10.
    fn log10(self) -> Self;
    /// `self` to the power of `exponent`.
    fn powf(self, exponent: Self) -> Self;
    /// `self` to an integer power.
    fn powi(self, exponent: i32) -> Self;
    /// √(x² + y²) without overflow on the way.
    fn hypot(self, other: Self) -> Self;
    /// 1 / x
    fn recip(self) -> Self;
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The sine of an angle in radians.
    fn sin(self) -> Self;
    /// The cosine of an angle in radians.
    fn cos(self) -> Self;
    /// The tangent of an angle in radians.
    fn tan(self) -> Self;
    /// The arc sine, in radians.
    fn asin(self) -> Self;
    /// The arc cosine, in radians.
    fn acos(self) -> Self;
    /// The arc tangent, in radians.
    fn atan(self) -> Self;
    /// The angle of the point (`other`, `self`), in radians.
    fn atan2(self, other: Self) -> Self;
    /// The hyperbolic sine.
    fn sinh(self) -> Self;
    /// The hyperbolic cosine.
    fn cosh(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// The inverse hyperbolic sine.
    fn asinh(self) -> Self;
    /// The inverse hyperbolic cosine.
    fn acosh(self) -> Self;
    /// The inverse hyperbolic tangent.
    fn atanh(self) -> Self;
    /// The largest integer that is not above `self`.
    fn floor(self) -> Self;
    /// The smallest integer that is not below `self`.
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from zero.
    fn round(self) -> Self;
    /// The integer part.
    fn trunc(self) -> Self;
    /// The part after the point.
    fn fract(self) -> Self;
    /// |x|
    fn abs(self) -> Self;
    /// 1 or −1 by the sign; NaN for NaN.
    fn signum(self) -> Self;
    /// `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
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
    /// From radians to degrees.
    fn to_degrees(self) -> Self;
    /// From degrees to radians.
    fn to_radians(self) -> Self;
    /// Not a number.
    fn is_nan(self) -> bool;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// ∞ or −∞
    fn is_infinite(self) -> bool;
    /// The sign bit is clear.
    fn is_sign_positive(self) -> bool;
    /// The sign bit is set.
    fn is_sign_negative(self) -> bool;
}
