//! Operations of `f16` and `bf16` that the crate `half` lacks, or does not round correctly.
//!
//! Rounding twice, to `f32` and then to 16 bits, is wrong if the first rounding yields the midpoint between two
//! results. It is correct if the first rounding is "to odd": an inexact result has a last bit of 1, and so is never
//! such a midpoint (Boldo and Melquiond, "Emulation of a FMA and correctly-rounded sums: proved algorithms using
//! rounding to odd", 2008).

use half::{bf16, f16};

/// Converts `x` to `f32`, rounded to odd.
pub(super) fn nearest_f32_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    if back == x || x.is_nan() {
        return nearest;
    }
    if nearest.is_infinite() {
        // The largest finite number is odd.
        return f32::MAX.copysign(nearest);
    }
    // `x` lies between `nearest` and its neighbour in the direction of `x`; one of the two is odd.
    let other = if (back < x) == (x > 0.0) { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 };
    if nearest.to_bits() & 1 == 1 { nearest } else { f32::from_bits(other) }
}

/// Converts `x` to `f32`, rounded to odd.
pub(super) fn integer_f32_odd(x: i128) -> f32 {
    const PRECISION: u32 = f32::MANTISSA_DIGITS;
    let magnitude = x.unsigned_abs();
    // The bits after the first 24 are combined into one sticky bit.
    let excess = (u128::BITS - magnitude.leading_zeros()).saturating_sub(PRECISION);
    let kept = magnitude >> excess << excess;
    let odd = if kept == magnitude { magnitude } else { kept | 1 << excess };
    let float = odd as f32;
    if x < 0 { -float } else { float }
}

/// A 16-bit float, of which a product is exact in `f64`.
pub(super) trait Half: Copy {
    fn to_f64(self) -> f64;
    fn from_f32(x: f32) -> Self;
}

impl Half for f16 {
    fn to_f64(self) -> f64 {
        f16::to_f64(self)
    }

    fn from_f32(x: f32) -> Self {
        f16::from_f32(x)
    }
}

impl Half for bf16 {
    fn to_f64(self) -> f64 {
        bf16::to_f64(self)
    }

    fn from_f32(x: f32) -> Self {
        bf16::from_f32(x)
    }
}

/// Returns `x * a + b`, rounded once.
pub(super) fn mul_add<H: Half>(x: H, a: H, b: H) -> H {
    let product = x.to_f64() * a.to_f64(); // exact: 22 of 53 bits
    let addend = b.to_f64();
    let sum = product + addend;
    // The rounding error of the sum (Knuth's two-sum), which determines the rounding to odd.
    let part = sum - product;
    let lost = (product - (sum - part)) + (addend - part);
    let odd = if lost == 0.0 || !lost.is_finite() || sum.to_bits() & 1 == 1 {
        sum
    } else if (lost > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    };
    H::from_f32(nearest_f32_odd(odd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_round_once() {
        // The midpoint between two neighbours, and values that differ from it by less than the precision of `f32`.
        let (low, high) = (f16::from_f32(1.0), f16::from_bits(f16::from_f32(1.0).to_bits() + 1));
        let middle = f64::midpoint(low.to_f64(), high.to_f64());
        for (x, expected) in [(middle, low), (middle.next_up(), high), (middle.next_down(), low)] {
            assert_eq!(f16::from_f32(nearest_f32_odd(x)), expected);
            assert_eq!(f16::from_f32(nearest_f32_odd(-x)), -expected);
        }
        assert_eq!(f16::from_f32(nearest_f32_odd(1e300)), f16::INFINITY);
        assert_eq!(bf16::from_f32(nearest_f32_odd(f64::from(f32::MAX) * 2.0)), bf16::INFINITY);
        assert_eq!(f16::from_f32(nearest_f32_odd(1e-300)), f16::ZERO);
        assert_eq!(nearest_f32_odd(f64::NEG_INFINITY), f32::NEG_INFINITY);
        assert!(nearest_f32_odd(f64::NAN).is_nan());
    }

    #[test]
    fn integers_round_once() {
        // 2⁶² + 2⁵⁴ is the midpoint between two neighbours, so that adding 1 decides.
        let middle = (1i128 << 62) + (1 << 54);
        let low = bf16::from_f32((1u64 << 62) as f32);
        let high = bf16::from_bits(low.to_bits() + 1);
        for (x, expected) in [(middle, low), (middle + 1, high), (middle - 1, low)] {
            assert_eq!(bf16::from_f32(integer_f32_odd(x)), expected);
            assert_eq!(bf16::from_f32(integer_f32_odd(-x)), -expected);
        }
        assert_eq!(integer_f32_odd(0), 0.0);
        assert_eq!(f16::from_f32(integer_f32_odd(65_519)), f16::MAX);
        assert_eq!(f16::from_f32(integer_f32_odd(65_520)), f16::INFINITY);
    }

    #[test]
    fn a_fused_multiply_add_rounds_once() {
        // The product is a midpoint, and the addend decides, far below the precision of `f64`.
        let (x, a) = (bf16::from_f32(1.0 + 1.0 / 16.0), bf16::from_f32(1.0 + 1.0 / 16.0));
        let product = x.to_f64() * a.to_f64(); // 1.12890625 = 1.125 + 1/256, the midpoint
        assert_eq!(product, 1.125 + 1.0 / 256.0);
        let tiny = bf16::from_f32(1e-30);
        let (low, high) = (bf16::from_f32(1.125), bf16::from_f32(1.125 + 1.0 / 128.0));
        assert_eq!(mul_add(x, a, tiny), high);
        assert_eq!(mul_add(x, a, -tiny), low);
        assert_eq!(mul_add(x, -a, tiny), -low);
        assert_eq!(mul_add(x, a, bf16::ZERO), low);
        assert!(mul_add(bf16::INFINITY, bf16::ZERO, bf16::ONE).is_nan());
        assert_eq!(mul_add(bf16::INFINITY, bf16::ONE, bf16::ONE), bf16::INFINITY);
        assert_eq!(mul_add(f16::from_f32(3.0), f16::from_f32(4.0), f16::from_f32(0.5)), f16::from_f32(12.5));
    }
}
