//! Definitions of methods of floats for the device, in Rust, as those of integers.
//!
//! `W` is the type in which a method is computed: the type itself, or `f32` for the 16-bit floats.

use cumbia_kernel_macros::device;

use super::{BitsMethods, Float};
use crate::number::Integer;

#[device]
pub fn fract<T: Float, W: Float>(x: T) -> T {
    let x = W::cast(x);
    T::cast(x - x.trunc())
}

/// The order of the products is that of compiler-rt's `__powisf2`, which Rust calls on the CPU, so that the roundings are
/// the same.
#[device]
pub fn powi<T: Float, W: Float>(x: T, exponent: i32) -> T {
    let mut power = W::ONE;
    let mut factor = W::cast(x);
    let mut rest = exponent.unsigned_abs();
    loop {
        if rest & 1 == 1 {
            power *= factor;
        }
        rest >>= 1;
        if rest == 0 {
            break;
        }
        factor *= factor;
    }
    T::cast(if exponent < 0 { W::ONE / power } else { power })
}

#[device]
pub fn rem_euclid<T: Float, W: Float>(a: T, b: T) -> T {
    let (a, b) = (W::cast(a), W::cast(b));
    let remainder = a % b;
    T::cast(if remainder < W::ZERO { remainder + b.abs() } else { remainder })
}

#[device]
pub fn div_euclid<T: Float, W: Float>(a: T, b: T) -> T {
    let (a, b) = (W::cast(a), W::cast(b));
    let quotient = (a / b).trunc();
    let corrected =
        if a % b < W::ZERO { if b > W::ZERO { quotient - W::ONE } else { quotient + W::ONE } } else { quotient };
    T::cast(corrected)
}

/// Halving a number that is too large to be doubled is exact.
#[device]
pub fn midpoint<T: Float>(a: T, b: T) -> T {
    let half = T::from_f64(0.5);
    let sum = a + b;
    if sum.abs() == T::INFINITY { a * half + b * half } else { sum * half }
}

/// The bits of adjacent values differ by one, except at zero, which has two representations.
#[device]
pub fn next_up<T: Float + BitsMethods<Bits = B>, B: Integer>(x: T) -> T {
    let bits = x.to_bits();
    let magnitude = bits & (B::MAX >> 1);
    let next = if magnitude == bits { bits.wrapping_add(B::ONE) } else { bits.wrapping_sub(B::ONE) };
    let next = if magnitude == B::ZERO { B::ONE } else { next };
    if x.is_nan() || bits == T::INFINITY.to_bits() { x } else { T::from_bits(next) }
}

#[device]
pub fn next_down<T: Float + BitsMethods<Bits = B>, B: Integer>(x: T) -> T {
    let bits = x.to_bits();
    let magnitude = bits & (B::MAX >> 1);
    let next = if magnitude == bits { bits.wrapping_sub(B::ONE) } else { bits.wrapping_add(B::ONE) };
    let next = if magnitude == B::ZERO { !(B::MAX >> 1) | B::ONE } else { next };
    if x.is_nan() || bits == T::NEG_INFINITY.to_bits() { x } else { T::from_bits(next) }
}

#[device]
pub fn is_subnormal<T: Float + BitsMethods<Bits = B>, B: Integer>(x: T) -> bool {
    let magnitude = x.to_bits() & (B::MAX >> 1);
    magnitude != B::ZERO && magnitude < T::MIN_POSITIVE.to_bits()
}
