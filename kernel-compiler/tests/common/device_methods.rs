//! Host implementations, for the rustc version of a test, of operations that Rust itself does not provide: methods of
//! halves and of CUDA, `as` for halves, and atomic operations of a single thread.

#![allow(clippy::cast_lossless, reason = "one macro for all scalar types")]

use half::{bf16, f16};

/// Methods that the crate `half` delegates: computed as `f32`, and rounded once more.
pub(crate) trait HalfMethods: Sized {
    fn wide(self) -> f32;
    fn narrow(wide: f32) -> Self;
    fn mul_add(self, b: Self, c: Self) -> Self;
    fn abs(self) -> Self {
        Self::narrow(self.wide().abs())
    }
    fn sqrt(self) -> Self {
        Self::narrow(self.wide().sqrt())
    }
    fn recip(self) -> Self {
        Self::narrow(self.wide().recip())
    }
    fn floor(self) -> Self {
        Self::narrow(self.wide().floor())
    }
    fn ceil(self) -> Self {
        Self::narrow(self.wide().ceil())
    }
    fn round(self) -> Self {
        Self::narrow(self.wide().round())
    }
    fn round_ties_even(self) -> Self {
        Self::narrow(self.wide().round_ties_even())
    }
    fn trunc(self) -> Self {
        Self::narrow(self.wide().trunc())
    }
    fn to_degrees(self) -> Self {
        Self::narrow(self.wide().to_degrees())
    }
}

macro_rules! half_methods {
    ($($half:ident)*) => {$(
        impl HalfMethods for $half {
            fn wide(self) -> f32 { self.to_f32() }
            fn narrow(wide: f32) -> $half { $half::from_f32(wide) }
            // The product is exact in `f64`, and so is the error of the sum (Knuth's "TwoSum").
            fn mul_add(self, b: $half, c: $half) -> $half {
                let (product, term) = (self.to_f64() * b.to_f64(), c.to_f64());
                let sum = product + term;
                let rounded = sum - product;
                let error = (product - (sum - rounded)) + (term - rounded);
                if error.is_nan() || error == 0.0 || !sum.is_finite() {
                    return $half::cast(sum);
                }
                // The odd one of the two neighbours of the exact sum is on the same side as the sum of every half and
                // of every tie.
                let is_odd = sum.to_bits() & 1 == 1;
                $half::cast(if is_odd { sum } else if error > 0.0 { sum.next_up() } else { sum.next_down() })
            }
        }
    )*};
}
half_methods!(f16 bf16);

/// Methods that CUDA provides and Rust does not.
pub(crate) trait OwnMethods {
    fn rsqrt(self) -> Self;
}
impl OwnMethods for f32 {
    fn rsqrt(self) -> f32 {
        1.0 / self.sqrt()
    }
}
impl OwnMethods for f64 {
    fn rsqrt(self) -> f64 {
        1.0 / self.sqrt()
    }
}

/// `as`, including halves.
pub(crate) trait CastFrom<T> {
    fn cast(value: T) -> Self;
}
macro_rules! casts {
    ($($int:ident)*) => {$(
        impl CastFrom<$int> for f16 { fn cast(value: $int) -> f16 { f16::from_bits(rounded_integer(value as i128, 10, 5)) } }
        impl CastFrom<$int> for bf16 { fn cast(value: $int) -> bf16 { bf16::from_bits(rounded_integer(value as i128, 7, 8)) } }
        impl CastFrom<f16> for $int { fn cast(value: f16) -> $int { value.to_f32() as $int } }
        impl CastFrom<bf16> for $int { fn cast(value: bf16) -> $int { value.to_f32() as $int } }
    )*};
}
casts!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
macro_rules! half_casts {
    ($($half:ident $mantissa:literal $exponent:literal)*) => {$(
        impl CastFrom<f32> for $half { fn cast(value: f32) -> $half { $half::cast(f64::from(value)) } }
        impl CastFrom<f64> for $half {
            fn cast(value: f64) -> $half { $half::from_bits(rounded(value, $mantissa, $exponent)) }
        }
        impl CastFrom<f16> for $half { fn cast(value: f16) -> $half { $half::from_f32(value.to_f32()) } }
        impl CastFrom<bf16> for $half { fn cast(value: bf16) -> $half { $half::from_f32(value.to_f32()) } }
    )*};
}
half_casts!(f16 10 5 bf16 7 8);

/// Converts an integer to a 16-bit float with a single rounding.
fn rounded_integer(value: i128, mantissa: u32, exponent: u32) -> u16 {
    // A sticky bit represents the digits that `f64` cannot hold.
    let near = value as f64;
    let exact = near as i128 == value;
    let odd = if exact || near.to_bits() & 1 == 1 {
        near
    } else if (near as i128) < value {
        f64::from_bits(near.to_bits() + u64::from(value > 0) - u64::from(value < 0))
    } else {
        f64::from_bits(near.to_bits() - u64::from(value > 0) + u64::from(value < 0))
    };
    rounded(odd, mantissa, exponent)
}

/// Rounds a number to a 16-bit float, to nearest with ties to even (IEEE 754, 4.3.1). It uses integer arithmetic,
/// independently of the implementation under test.
fn rounded(value: f64, mantissa: u32, exponent: u32) -> u16 {
    let sign = (value.to_bits() >> 63 << 15) as u16;
    let infinity = ((1u32 << exponent) - 1) << mantissa;
    if value.is_nan() {
        return sign | (infinity | 1 << (mantissa - 1)) as u16;
    }
    let magnitude = value.abs();
    if magnitude == 0.0 || magnitude.is_infinite() {
        return sign | if magnitude == 0.0 { 0 } else { infinity as u16 };
    }
    // `magnitude` is `significand * 2^power`.
    let pattern = magnitude.to_bits();
    let (significand, power) = match pattern >> 52 {
        0 => (pattern, -1074),
        raised => (pattern & (u64::MAX >> 12) | 1 << 52, raised as i32 - 1075),
    };
    let bias = (1i32 << (exponent - 1)) - 1;
    let top = 63 - significand.leading_zeros() as i32 + power;
    // The exponent of the last significand bit that is kept.
    let last = top.max(1 - bias) - mantissa as i32;
    let drop = last - power;
    let kept = if drop <= 0 {
        significand << -drop
    } else if drop > 63 {
        0
    } else {
        let (kept, rest, half) = (significand >> drop, significand & ((1 << drop) - 1), 1u64 << (drop - 1));
        kept + u64::from(rest > half || rest == half && kept & 1 == 1)
    };
    // A carry out of the significand increments the exponent.
    let raised = (last + mantissa as i32 + bias - 1) as u64;
    let result = (raised << mantissa) + kept;
    sign | result.min(infinity.into()) as u16
}

/// A scalar that can be stored in memory.
pub(crate) fn shared<T: Default>() -> &'static mut T {
    Box::leak(Box::default())
}

/// Returns the value that an atomic operation stores, given the old value and an operand.
pub(crate) trait Atomic: Copy {
    fn sum(self, value: Self) -> Self;
    fn difference(self, value: Self) -> Self;
    fn least(self, value: Self) -> Self;
    fn greatest(self, value: Self) -> Self;
    fn same_bits(self, other: Self) -> bool;
}

macro_rules! atomic_integers {
    ($($int:ident)*) => {$(
        impl Atomic for $int {
            fn sum(self, value: $int) -> $int { self.wrapping_add(value) }
            fn difference(self, value: $int) -> $int { self.wrapping_sub(value) }
            fn least(self, value: $int) -> $int { self.min(value) }
            fn greatest(self, value: $int) -> $int { self.max(value) }
            fn same_bits(self, other: $int) -> bool { self == other }
        }
    )*};
}
atomic_integers!(i16 u16 i32 u32 i64 u64 isize usize);

/// NaN is ignored, and -0 is less than +0.
macro_rules! atomic_floats {
    ($($float:ident)*) => {$(
        impl Atomic for $float {
            fn sum(self, value: $float) -> $float { self + value }
            fn difference(self, value: $float) -> $float { self - value }
            fn least(self, value: $float) -> $float {
                if value.is_nan() || !self.is_nan() && self.total_cmp(&value).is_le() { self } else { value }
            }
            fn greatest(self, value: $float) -> $float {
                if value.is_nan() || !self.is_nan() && self.total_cmp(&value).is_ge() { self } else { value }
            }
            fn same_bits(self, other: $float) -> bool { self.to_bits() == other.to_bits() }
        }
    )*};
}
atomic_floats!(f32 f64 f16 bf16);

/// Updates the value at a place, and returns the old value.
fn changed<T: Copy>(place: &mut T, new: T) -> T {
    std::mem::replace(place, new)
}

pub(crate) fn atomic_add<T: Atomic>(place: &mut T, value: T) -> T {
    changed(place, place.sum(value))
}

pub(crate) fn atomic_sub<T: Atomic>(place: &mut T, value: T) -> T {
    changed(place, place.difference(value))
}

pub(crate) fn atomic_min<T: Atomic>(place: &mut T, value: T) -> T {
    changed(place, place.least(value))
}

pub(crate) fn atomic_max<T: Atomic>(place: &mut T, value: T) -> T {
    changed(place, place.greatest(value))
}

pub(crate) fn atomic_and<T: Copy + std::ops::BitAnd<Output = T>>(place: &mut T, value: T) -> T {
    changed(place, *place & value)
}

pub(crate) fn atomic_or<T: Copy + std::ops::BitOr<Output = T>>(place: &mut T, value: T) -> T {
    changed(place, *place | value)
}

pub(crate) fn atomic_xor<T: Copy + std::ops::BitXor<Output = T>>(place: &mut T, value: T) -> T {
    changed(place, *place ^ value)
}

pub(crate) fn atomic_exch<T: Copy>(place: &mut T, value: T) -> T {
    changed(place, value)
}

pub(crate) fn atomic_cas<T: Atomic>(place: &mut T, expected: T, value: T) -> T {
    changed(place, if place.same_bits(expected) { value } else { *place })
}

pub(crate) fn atomic_inc<T: Copy + Into<u64> + TryFrom<u64>>(place: &mut T, limit: T) -> T {
    let (old, limit) = ((*place).into(), limit.into());
    changed(place, T::try_from(if old >= limit { 0 } else { old + 1 }).unwrap_or(*place))
}

pub(crate) fn atomic_dec<T: Copy + Into<u64> + TryFrom<u64>>(place: &mut T, limit: T) -> T {
    let (old, limit) = ((*place).into(), limit.into());
    changed(place, T::try_from(if old == 0 || old > limit { limit } else { old - 1 }).unwrap_or(*place))
}

pub(crate) fn atomic_load<T: Copy>(place: &T) -> T {
    *place
}

pub(crate) fn atomic_store<T: Copy>(place: &mut T, value: T) {
    *place = value;
}
