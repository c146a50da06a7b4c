//! Traits of numbers, as the bounds of generic kernels, and the built-in methods of numbers.

mod components;
mod conversion;
mod float;
mod half;
mod integer;
mod maths;
mod methods;
mod ordered;
#[cfg(test)]
mod tests;
mod try_conversion;

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Rem, RemAssign, Sub, SubAssign};

use ::half::{bf16, f16};

pub use components::Components;
pub use conversion::{CastLiteral, Lossless, NumberCast};
pub use float::{BitsMethods, Float, FloatMethods, LargeFloatCast, MethodsOfFloatsOnly, WideFloat};
pub use integer::{Integer, IntegerMethods};
pub use methods::{HalfMethods, LargeMethods, MixedMethods, NumberMethods, SignedMethods, UnsignedMethods};
pub use ordered::OrderedElement;
pub use try_conversion::{IntoMethods, TryConversion};

use crate::types::Scalar;

/// A number: `i8` to `i64`, `u8` to `u64`, `isize`, `usize`, [`f16`](struct@f16), [`bf16`], `f32`, `f64`.
///
/// In a kernel, it has the methods `min`, `max`, `clamp`, `rem_euclid` and `div_euclid`.
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number type of a device",
    label = "not an integer of 8 to 64 bits, and no float",
    note = "why: its operators and its order are those of numbers",
    note = "help: use a number type, such as `f32` or `u32`; for other types, an algorithm with an operator of yours, such as `reduce`"
)]
pub trait Number:
    Scalar
    + NumberMethods
    + MethodsOfFloatsOnly
    + NumberCast
    + Lossless<Self>
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
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// The lowest finite value.
    const MIN: Self;
    /// The highest finite value.
    const MAX: Self;

    /// Converts any number as `number as Self` does: a float is truncated towards zero and saturates, an integer wraps,
    /// and a conversion to a float rounds to nearest.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[device]
    /// fn mean<T: Number>(x: &[T]) -> f64 {
    ///     let mut sum = 0.0;
    ///     for &v in x {
    ///         sum += f64::cast(v);
    ///     }
    ///     sum / x.len() as f64
    /// }
    ///
    /// assert_eq!(mean(&[1u8, 2, 4, 5]), 3.0);
    /// assert_eq!(u8::cast(300.7f32), 255);
    /// assert_eq!(u8::cast(0x1234i32), 0x34);
    /// ```
    #[must_use]
    fn cast<N: Number>(number: N) -> Self;

    /// Converts the number to a type that represents all numbers exactly.
    #[doc(hidden)]
    fn widen(self) -> Wide;
}

/// Any number, exactly.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Wide {
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
}

/// Implements [`Number`] for integers, `f32` and `f64`.
macro_rules! numbers {
    ($($number:ident $wide:ident $as:ident $zero:literal $one:literal),* $(,)?) => {$(
        impl Number for $number {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = $number::MIN;
            const MAX: Self = $number::MAX;

            #[inline(always)]
            fn cast<N: Number>(number: N) -> Self {
                match number.widen() {
                    Wide::Integer(number) => number as $number,
                    Wide::Float(number) => number as $number,
                }
            }

            #[inline(always)]
            #[allow(clippy::cast_lossless, reason = "the macro casts every type")]
            fn widen(self) -> Wide {
                Wide::$wide(self as $as)
            }
        }
    )*};
}

numbers! {
    i8 Integer i128 0 1, i16 Integer i128 0 1, i32 Integer i128 0 1, i64 Integer i128 0 1, isize Integer i128 0 1,
    u8 Integer i128 0 1, u16 Integer i128 0 1, u32 Integer i128 0 1, u64 Integer i128 0 1, usize Integer i128 0 1,
    f32 Float f64 0.0 1.0, f64 Float f64 0.0 1.0,
}

/// Implements [`Number`] for the 16-bit floats. Conversions go through an `f32` that is rounded to odd, so that the
/// second rounding is correct.
macro_rules! halves {
    ($($half:ident),*) => {$(
        impl Number for $half {
            const ZERO: Self = $half::ZERO;
            const ONE: Self = $half::ONE;
            const MIN: Self = $half::MIN;
            const MAX: Self = $half::MAX;

            #[inline]
            fn cast<N: Number>(number: N) -> Self {
                $half::from_f32(match number.widen() {
                    Wide::Integer(number) => half::integer_f32_odd(number),
                    Wide::Float(number) => half::nearest_f32_odd(number),
                })
            }

            #[inline(always)]
            fn widen(self) -> Wide {
                Wide::Float(self.to_f64())
            }
        }
    )*};
}

halves!(f16, bf16);

/// The primitive methods of numbers.
#[cfg(test)]
pub(crate) fn primitives() -> impl Iterator<Item = cumbia_kernel_ir::Method> {
    let of_traits = [float::FLOAT_METHODS, integer::INTEGER_METHODS].into_iter().flatten().copied().flatten();
    of_traits.chain(methods::primitives()).chain(float::primitives_of_bits())
}
