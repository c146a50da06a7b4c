//! Differential test of arithmetic and methods: the functions below are compiled by rustc, and emitted as C and
//! compiled by g++; both versions run on all pairs of edge values, and have to return the same bits, or fault with the
//! same message.
//!
//! With `cargo test` overflow is a fault in both versions, with `cargo test --release` it wraps in both.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    clippy::unnecessary_cast,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    reason = "one macro for all scalar types"
)]

mod common;
#[path = "common/device_methods.rs"]
mod device_methods;

use std::cell::Cell;
use std::fmt::Write as _;
use std::panic::catch_unwind;
use std::sync::Once;

use cumbia_kernel_compiler::{Options, Source, check, write};
use half::{bf16, f16};

/// A type with its edge values.
trait Edges: Copy {
    fn edges() -> Vec<u64>;
    fn from(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! edges {
    ($($int:ident)*) => {$(
        impl Edges for $int {
            fn edges() -> Vec<u64> {
                let ends = [$int::MIN, $int::MAX, $int::MIN + 1, $int::MAX - 1, $int::MAX / 2, $int::MIN / 2];
                let small = [0, 1, 2, 3, 7, 10, 31, 32, 63, 64, 100].map(|n: u8| n as $int);
                let negative = [1, 2, 3, 7, 31].map(|n: u8| (n as $int).wrapping_neg());
                ends.into_iter().chain(small).chain(negative).map(Edges::bits).collect()
            }
            fn from(bits: u64) -> $int { bits as $int }
            fn bits(self) -> u64 { self as u64 & (u64::MAX >> (64 - $int::BITS)) }
        }
    )*};
}
edges!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! float_edges {
    ($($float:ident)*) => {$(
        impl Edges for $float {
            fn edges() -> Vec<u64> {
                let positive = [
                    0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.25, 127.0, 127.5, 128.0, 255.0, 255.5, 256.0, 32767.5, 32768.0, 65535.9,
                    65536.0, 2147483520.0, 2147483648.0, 4294967040.0, 4294967296.0, 9.2e18, 9223372036854775808.0,
                    18446744073709551616.0, 1e30, $float::MAX, $float::MIN_POSITIVE, $float::INFINITY, $float::EPSILON,
                ];
                // Next to a tie of `f16`, `bf16` and `f32`, where double rounding is wrong.
                let ties = [-11, -8, -24].map(|tie| 1.0 + (2 as $float).powi(tie) + (2 as $float).powi(-40));
                let subnormal = [$float::MIN_POSITIVE / 2.0, $float::from_bits(1), 2e-7, 1e-38];
                let all = positive.into_iter().chain(ties).chain(subnormal);
                all.flat_map(|x| [x, -x]).chain([$float::NAN]).map(Edges::bits).collect()
            }
            fn from(bits: u64) -> $float { $float::from_bits(bits as _) }
            // NaNs are normalised: Rust does not specify their bits.
            fn bits(self) -> u64 { if self.is_nan() { $float::NAN.to_bits().into() } else { self.to_bits().into() } }
        }
    )*};
}
float_edges!(f32 f64);

/// `f16` and `bf16`, with edge values of their own: all classes of numbers, and both ends of the subnormal range.
macro_rules! half_edges {
    ($($half:ident)*) => {$(
        impl Edges for $half {
            fn edges() -> Vec<u64> {
                let positive = [
                    $half::ZERO, $half::ONE, $half::MAX, $half::MIN_POSITIVE, $half::MAX_SUBNORMAL,
                    $half::MIN_POSITIVE_SUBNORMAL, $half::INFINITY, $half::EPSILON,
                ];
                let some = [0.1, 0.5, 1.5, 2.5, 3.25, 100.0, 127.5, 255.0, 256.5, 1000.0, 2049.0, 40000.0, 65504.0]
                    .map($half::from_f32);
                positive.into_iter().chain(some).flat_map(|x| [x, -x]).chain([$half::NAN]).map(Edges::bits).collect()
            }
            fn from(bits: u64) -> $half { $half::from_bits(bits as u16) }
            fn bits(self) -> u64 { if self.is_nan() { $half::NAN.to_bits().into() } else { self.to_bits().into() } }
        }
    )*};
}
half_edges!(f16 bf16);

impl Edges for bool {
    fn edges() -> Vec<u64> {
        vec![0, 1]
    }
    fn from(bits: u64) -> bool {
        bits != 0
    }
    fn bits(self) -> u64 {
        self.into()
    }
}

/// A function in both versions.
struct Case {
    name: &'static str,
    params: Vec<(&'static str, Vec<u64>)>,
    result: &'static str,
    run: fn(&[u64]) -> u64,
}

/// Defines functions in Rust, and keeps their source text.
macro_rules! corpus {
    ($module:ident: $(fn $name:ident($($arg:ident: $ty:ident),*) -> $result:ident $body:block)*) => {
        mod $module {
            #![allow(clippy::all, clippy::pedantic, arithmetic_overflow, unused, reason = "edge cases")]
            use super::device_methods::*;
            use super::{Case, Edges, bf16, f16};
            $(fn $name($($arg: $ty),*) -> $result $body)*
            pub(crate) const TEXT: &str = concat!(
                $(stringify!(fn $name($($arg: $ty),*) -> $result $body), "\n",)*
                // A parameter of each type, named after it, and a call of each function: unused functions are not
                // emitted.
                "fn kernel_", stringify!($module), "(bool: bool, i8: i8, i16: i16, i32: i32, i64: i64, isize: isize, \
                 u8: u8, u16: u16, u32: u32, u64: u64, usize: usize, f16: f16, bf16: bf16, f32: f32, f64: f64) {",
                $(stringify!($name($($ty),*);),)*
                "}"
            );
            pub(crate) fn cases() -> Vec<Case> {
                vec![$(Case {
                    name: stringify!($name),
                    params: vec![$((stringify!($ty), <$ty as Edges>::edges())),*],
                    result: stringify!($result),
                    run: |bits| {
                        let mut bits = bits.iter();
                        $(let $arg = <$ty as Edges>::from(*bits.next().unwrap());)*
                        Edges::bits($name($($arg),*))
                    },
                }),*]
            }
        }
    };
}

macro_rules! integers {
    ($($module:ident $T:ident $U:ident;)*) => {$(corpus! { $module:
        fn add(a: $T, b: $T) -> $T { a + b }
        fn sub(a: $T, b: $T) -> $T { a - b }
        fn mul(a: $T, b: $T) -> $T { a * b }
        fn div(a: $T, b: $T) -> $T { a / b }
        fn rem(a: $T, b: $T) -> $T { a % b }
        fn nested(a: $T, b: $T) -> $T { (a ^ b) & !a | b & (a - (b - a)) }
        fn not(a: $T) -> $T { !a }
        fn shl(a: $T, b: $T) -> $T { a << b }
        fn shr(a: $T, b: u32) -> $T { a >> b }
        fn shr_signed(a: $T, b: i64) -> $T { a >> b }
        fn lt(a: $T, b: $T) -> bool { a < b && !(a == b) || a >= b && a > b }
        fn update(a: $T, b: $T) -> $T { let mut x: $T = a; x += b; x -= a; x *= b; x ^= a; x |= b; x &= a; x }
        fn to_i8(a: $T) -> i8 { a as i8 }
        fn to_u16(a: $T) -> u16 { a as u16 }
        fn to_i32(a: $T) -> i32 { a as i32 }
        fn to_u64(a: $T) -> u64 { a as u64 }
        fn to_f32(a: $T) -> f32 { a as f32 }
        fn to_f64(a: $T) -> f64 { a as f64 }
        fn min(a: $T, b: $T) -> $T { a.min(b) }
        fn max(a: $T, b: $T) -> $T { a.max(b) }
        fn clamp(a: $T, b: $T) -> $T { a.clamp(b, a) }
        fn abs_diff(a: $T, b: $T) -> $U { a.abs_diff(b) }
        fn wrapping_add(a: $T, b: $T) -> $T { a.wrapping_add(b) }
        fn wrapping_sub(a: $T, b: $T) -> $T { a.wrapping_sub(b) }
        fn wrapping_mul(a: $T, b: $T) -> $T { a.wrapping_mul(b) }
        fn wrapping_neg(a: $T) -> $T { a.wrapping_neg() }
        fn saturating_add(a: $T, b: $T) -> $T { a.saturating_add(b) }
        fn saturating_sub(a: $T, b: $T) -> $T { a.saturating_sub(b) }
        fn ones(a: $T) -> u32 { a.count_ones() }
        fn zeros(a: $T) -> u32 { a.count_zeros() }
        fn leading(a: $T) -> u32 { a.leading_zeros() }
        fn trailing(a: $T) -> u32 { a.trailing_zeros() }
        fn rotate_left(a: $T, b: u32) -> $T { a.rotate_left(b) }
        fn rotate_right(a: $T, b: u32) -> $T { a.rotate_right(b) }
        fn swap_bytes(a: $T) -> $T { a.swap_bytes() }
        fn reverse_bits(a: $T) -> $T { a.reverse_bits() }
        fn wrapping_shl(a: $T, b: u32) -> $T { a.wrapping_shl(b) }
        fn wrapping_shr(a: $T, b: u32) -> $T { a.wrapping_shr(b) ^ a.wrapping_shr(100u32) }
        fn unbounded_shl(a: $T, b: u32) -> $T { a.unbounded_shl(b) }
        fn unbounded_shr(a: $T, b: u32) -> $T { a.unbounded_shr(b) }
        fn overflowing_add(a: $T, b: $T) -> $T { let (x, over): ($T, bool) = a.overflowing_add(b); if over { !x } else { x } }
        fn overflowing_sub(a: $T, b: $T) -> $T { let (x, over): ($T, bool) = a.overflowing_sub(b); if over { !x } else { x } }
        fn overflowing_mul(a: $T, b: $T) -> $T { let (x, over): ($T, bool) = a.overflowing_mul(b); if over { !x } else { x } }
        fn overflowing_shl(a: $T, b: u32) -> $T { let (x, over): ($T, bool) = a.overflowing_shl(b); if over { !x } else { x } }
        fn overflowing_shr(a: $T, b: u32) -> $T { let (x, over): ($T, bool) = a.overflowing_shr(b ^ 1u32); if over { !x } else { x } }
        fn overflowing_sum(a: $T, b: $T) -> bool { a.overflowing_add(b).1 == b.overflowing_sub(a).1 }
        fn leading_ones(a: $T) -> u32 { a.leading_ones() }
        fn trailing_ones(a: $T) -> u32 { a.trailing_ones() }
        fn big_end(a: $T) -> $T { a.to_be() ^ <$T>::from_le(a.to_le()) ^ <$T>::from_be(a) }
        fn cloned(a: $T) -> $T { a.clone() }
        fn f16_of(a: $T) -> f16 { f16::cast(a) }
        fn bf16_of(a: $T) -> bf16 { bf16::cast(a) }
        fn count(a: $T, b: $T) -> i32 {
            let mut turns: i32 = 0i32;
            for i in a as $T..b { if turns > 300i32 { break; } turns += 1i32; }
            turns
        }
        fn count_inclusive(a: $T, b: $T) -> i32 {
            let mut turns: i32 = 0i32;
            for i in a as $T..=b { if turns > 300i32 { break; } if i == b { turns += 1000i32; continue; } turns += 1i32; }
            turns
        }
        fn count_steps(a: $T, b: $T, by: u8) -> i32 {
            let mut turns: i32 = 0i32;
            for i in (a as $T..b).step_by(by as usize) { if turns > 300i32 { break; } turns += 1i32; }
            for i in (a as $T..=b).step_by(by as usize) { if turns > 900i32 { break; } turns += 1i32; }
            turns
        }
    })*};
}
integers! {
    of_i8 i8 u8; of_i16 i16 u16; of_i32 i32 u32; of_i64 i64 u64; of_isize isize usize;
    of_u8 u8 u8; of_u16 u16 u16; of_u32 u32 u32; of_u64 u64 u64; of_usize usize usize;
}

macro_rules! signed {
    ($($module:ident $T:ident $U:ident;)*) => {$(corpus! { $module:
        fn neg(a: $T) -> $T { -a }
        fn abs(a: $T) -> $T { a.abs() }
        fn unsigned_abs(a: $T) -> $U { a.unsigned_abs() }
        fn signum(a: $T) -> $T { a.signum() }
        fn sign(a: $T) -> bool { a.is_positive() || !a.is_negative() && a == 0 as $T }
        fn cast_unsigned(a: $T) -> $U { a.cast_unsigned() }
        fn wrapping_add_unsigned(a: $T, b: $U) -> $T { a.wrapping_add_unsigned(b) }
        fn wrapping_sub_unsigned(a: $T, b: $U) -> $T { a.wrapping_sub_unsigned(b) }
        fn saturating_add_unsigned(a: $T, b: $U) -> $T { a.saturating_add_unsigned(b) }
        fn saturating_sub_unsigned(a: $T, b: $U) -> $T { a.saturating_sub_unsigned(b) }
        fn div_seven(a: $T) -> $T { a / 7 as $T + a % 7 as $T }
        fn double_neg(a: $T) -> $T { -(-(a / 3 as $T)) }
    })*};
}
signed! { signed_i8 i8 u8; signed_i16 i16 u16; signed_i32 i32 u32; signed_i64 i64 u64; signed_isize isize usize; }

macro_rules! unsigned {
    ($($module:ident $T:ident $I:ident;)*) => {$(corpus! { $module:
        fn next_multiple_of(a: $T, b: $T) -> $T { a.next_multiple_of(b) }
        fn is_multiple_of(a: $T, b: $T) -> bool { a.is_multiple_of(b) }
        fn cast_signed(a: $T) -> $I { a.cast_signed() }
        fn wrapping_add_signed(a: $T, b: $I) -> $T { a.wrapping_add_signed(b) }
        fn saturating_add_signed(a: $T, b: $I) -> $T { a.saturating_add_signed(b) }
        fn is_power_of_two(a: $T) -> bool { a.is_power_of_two() }
        fn div_ceil(a: $T, b: $T) -> $T { a.div_ceil(b) }
    })*};
}
unsigned! {
    unsigned_u8 u8 i8; unsigned_u16 u16 i16; unsigned_u32 u32 i32; unsigned_u64 u64 i64; unsigned_usize usize isize;
}

macro_rules! floats {
    ($($module:ident $T:ident $U:ident;)*) => {$(corpus! { $module:
        fn arithmetic(a: $T, b: $T) -> $T { a * b - (a - (b - a)) / -b }
        fn rem(a: $T, b: $T) -> $T { a % b }
        fn neg(a: $T) -> $T { -(-(-a)) }
        fn equal(a: $T, b: $T) -> bool { a == b }
        fn different(a: $T, b: $T) -> bool { a != b }
        fn not_less(a: $T, b: $T) -> bool { !(a < b) }
        fn to_i8(a: $T) -> i8 { a as i8 }
        fn to_i16(a: $T) -> i16 { a as i16 }
        fn to_i32(a: $T) -> i32 { a as i32 }
        fn to_i64(a: $T) -> i64 { a as i64 }
        fn to_isize(a: $T) -> isize { a as isize }
        fn to_u8(a: $T) -> u8 { a as u8 }
        fn to_u16(a: $T) -> u16 { a as u16 }
        fn to_u32(a: $T) -> u32 { a as u32 }
        fn to_u64(a: $T) -> u64 { a as u64 }
        fn to_f32(a: $T) -> f32 { a as f32 }
        fn to_f64(a: $T) -> f64 { a as f64 }
        fn sqrt(a: $T) -> $T { a.sqrt() }
        fn recip(a: $T) -> $T { a.recip() }
        fn mul_add(a: $T, b: $T) -> $T { a.mul_add(b, a) }
        fn floor(a: $T) -> $T { a.floor() }
        fn ceil(a: $T) -> $T { a.ceil() }
        fn round(a: $T) -> $T { a.round() }
        fn trunc(a: $T) -> $T { a.trunc() }
        fn abs(a: $T) -> $T { a.abs() }
        fn signum(a: $T) -> $T { a.signum() }
        fn copysign(a: $T, b: $T) -> $T { a.copysign(b) }
        fn to_degrees(a: $T) -> $T { a.to_degrees() }
        fn to_radians(a: $T) -> $T { a.to_radians() }
        fn is_nan(a: $T) -> bool { a.is_nan() }
        fn is_finite(a: $T) -> bool { a.is_finite() }
        fn is_infinite(a: $T) -> bool { a.is_infinite() }
        fn is_negative(a: $T) -> bool { a.is_sign_negative() || !a.is_sign_positive() }
        fn to_bits(a: $T) -> $U { if a.is_nan() { 0 as $U } else { a.to_bits() } }
        // The sign of the result is unspecified if both operands are zeros.
        fn min(a: $T, b: $T) -> $T { a.min(b).abs() }
        fn max(a: $T, b: $T) -> $T { a.max(b).abs() }
        fn clamp(a: $T, b: $T) -> $T { a.clamp(b, a.abs()) }
        fn unit(a: $T) -> $T { a.clamp(0 as $T, 1 as $T) }
        fn round_ties_even(a: $T) -> $T { a.round_ties_even() }
        fn is_normal(a: $T) -> bool { a.is_normal() }
        fn from_bits(a: $U) -> $T { <$T>::from_bits(a) }
        fn rsqrt(a: $T) -> $T { a.rsqrt() }
        fn cloned(a: $T) -> $T { a.clone() }
        fn to_f16(a: $T) -> f16 { f16::cast(a) }
        fn to_bf16(a: $T) -> bf16 { bf16::cast(a) }
    })*};
}
floats! { of_f32 f32 u32; of_f64 f64 u64; }

macro_rules! halves {
    ($($module:ident $T:ident;)*) => {$(corpus! { $module:
        fn add(a: $T, b: $T) -> $T { a + b }
        fn sub(a: $T, b: $T) -> $T { a - b }
        fn mul(a: $T, b: $T) -> $T { a * b }
        fn div(a: $T, b: $T) -> $T { a / b }
        fn rem(a: $T, b: $T) -> $T { a % b }
        fn neg(a: $T) -> $T { -a }
        fn nested(a: $T, b: $T) -> $T { a * b - (a - (b - a)) / -b }
        fn update(a: $T, b: $T) -> $T { let mut x: $T = a; x += b; x *= a; x -= b; x /= a; x %= b; x }
        fn equal(a: $T, b: $T) -> bool { a == b }
        fn different(a: $T, b: $T) -> bool { a != b }
        fn not_less(a: $T, b: $T) -> bool { !(a < b) || a > b }
        fn ordered(a: $T, b: $T) -> bool { a <= b || a >= b }
        fn min(a: $T, b: $T) -> $T { a.min(b) }
        fn max(a: $T, b: $T) -> $T { a.max(b) }
        fn clamp(a: $T, b: $T) -> $T { a.clamp(b, b * b) }
        fn signum(a: $T) -> $T { a.signum() }
        fn copysign(a: $T, b: $T) -> $T { a.copysign(b) }
        fn is_nan(a: $T) -> bool { a.is_nan() }
        fn is_finite(a: $T) -> bool { a.is_finite() }
        fn is_infinite(a: $T) -> bool { a.is_infinite() }
        fn is_normal(a: $T) -> bool { a.is_normal() }
        fn is_negative(a: $T) -> bool { a.is_sign_negative() || !a.is_sign_positive() }
        fn to_bits(a: $T) -> u16 { if a.is_nan() { 0u16 } else { a.to_bits() } }
        fn from_bits(a: u16) -> $T { $T::from_bits(a) }
        fn to_f32(a: $T) -> f32 { a.to_f32() }
        fn to_f64(a: $T) -> f64 { a.to_f64() }
        fn from_f32(a: f32) -> $T { $T::from_f32(a) }
        fn to_i8(a: $T) -> i8 { i8::cast(a) }
        fn to_u8(a: $T) -> u8 { u8::cast(a) }
        fn to_i32(a: $T) -> i32 { i32::cast(a) }
        fn to_u64(a: $T) -> u64 { u64::cast(a) }
        fn to_f16(a: $T) -> f16 { f16::cast(a) }
        fn to_bf16(a: $T) -> bf16 { bf16::cast(a) }
        fn mul_add(a: $T, b: $T) -> $T { a.mul_add(b, $T::from_f32(1.0f32)) }
        fn mul_subtract(a: $T, b: $T) -> $T { a.mul_add(a, -b) }
        fn abs(a: $T) -> $T { a.abs() }
        fn sqrt(a: $T) -> $T { a.sqrt() }
        fn recip(a: $T) -> $T { a.recip() }
        fn floor(a: $T) -> $T { a.floor() }
        fn ceil(a: $T) -> $T { a.ceil() }
        fn round(a: $T) -> $T { a.round() }
        fn round_ties_even(a: $T) -> $T { a.round_ties_even() }
        fn trunc(a: $T) -> $T { a.trunc() }
        fn to_degrees(a: $T) -> $T { a.to_degrees() }
    })*};
}
halves! { of_f16 f16; of_bf16 bf16; }

/// Atomic operations on shared memory: the value that they store, and the value that they return.
macro_rules! atomics {
    ($($module:ident $T:ident: $($name:ident = $op:ident),*;)*) => {$(corpus! { $module:
        $(fn $name(a: $T, b: $T) -> $T { let cell: &mut $T = shared::<$T>(); *cell = a; $op(cell, b); *cell })*
    })*};
    (old: $($module:ident $T:ident: $($name:ident = $op:ident),*;)*) => {$(corpus! { $module:
        $(fn $name(a: $T, b: $T) -> $T { let cell: &mut $T = shared::<$T>(); *cell = a; $op(cell, b) })*
        fn cas(a: $T, b: $T) -> $T { let cell: &mut $T = shared::<$T>(); *cell = a; atomic_cas(cell, b, a) }
        fn swapped(a: $T, b: $T) -> $T { let cell: &mut $T = shared::<$T>(); *cell = a; atomic_cas(cell, a, b); *cell }
        fn kept(a: $T, b: $T) -> $T { let cell: &mut $T = shared::<$T>(); *cell = a; atomic_cas(cell, b, b); *cell }
        fn stored(a: $T, b: $T) -> $T { let cell: &mut $T = shared::<$T>(); *cell = b; atomic_store(cell, a); atomic_load(cell) }
    })*};
}
atomics! {
    new_i32 i32: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, and = atomic_and, or = atomic_or, xor = atomic_xor, exch = atomic_exch;
    new_u32 u32: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, and = atomic_and, or = atomic_or, xor = atomic_xor, exch = atomic_exch, inc = atomic_inc, dec = atomic_dec;
    new_i64 i64: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, and = atomic_and, or = atomic_or, xor = atomic_xor, exch = atomic_exch;
    new_u64 u64: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, and = atomic_and, or = atomic_or, xor = atomic_xor, exch = atomic_exch, inc = atomic_inc, dec = atomic_dec;
    new_isize isize: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, and = atomic_and, or = atomic_or, xor = atomic_xor, exch = atomic_exch;
    new_f32 f32: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, exch = atomic_exch;
    new_f64 f64: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, exch = atomic_exch;
    new_f16 f16: add = atomic_add, sub = atomic_sub, exch = atomic_exch;
    new_bf16 bf16: add = atomic_add, sub = atomic_sub, exch = atomic_exch;
}
atomics! { old:
    old_i16 i16: exch = atomic_exch;
    old_u16 u16: exch = atomic_exch;
    old_i32 i32: add = atomic_add, min = atomic_min, exch = atomic_exch;
    old_u32 u32: add = atomic_add, max = atomic_max, inc = atomic_inc;
    old_i64 i64: add = atomic_add, sub = atomic_sub, and = atomic_and;
    old_u64 u64: sub = atomic_sub, xor = atomic_xor, dec = atomic_dec;
    old_f32 f32: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, exch = atomic_exch;
    old_f64 f64: add = atomic_add, sub = atomic_sub, min = atomic_min, max = atomic_max, exch = atomic_exch;
    old_f16 f16: add = atomic_add, sub = atomic_sub, exch = atomic_exch;
    old_bf16 bf16: add = atomic_add, sub = atomic_sub, exch = atomic_exch;
}

corpus! { mixed:
    fn bools(a: bool, b: bool) -> bool { (a & !b | b ^ a) == (a != b) }
    fn bool_order(a: bool, b: bool) -> i32 { if a < b { 1i32 } else { b as i32 - a as i32 } }
    fn short_circuit(a: i32, b: i32) -> bool { b != 0i32 && a / b > 1i32 || a == 3i32 }
    fn effects(a: i32) -> i32 {
        let mut x: i32 = a & 15i32;
        let y: i32 = x + { x += 1i32; x } * { x *= 2i32; x };
        let z: bool = x > 10i32 && { x += 100i32; true } || { x -= 1i32; false };
        x += { x = 5i32; x + y };
        if z { x } else { -x }
    }
    fn tuples(a: i32, b: i32) -> i32 {
        let mut t: (i32, i32) = (a & 7i32, b & 7i32);
        t = (t.1 + 1i32, t.0);
        let (p, q): (i32, i32) = if t.0 > t.1 { t.0 -= 3i32; (t.1, t.0) } else { (1i32, 2i32) };
        let u: (i32, i32) = { let v: i32 = p; (v, q) };
        t.0 * 1000i32 + t.1 * 100i32 + u.0 * 10i32 + u.1
    }
    fn labels(a: u32, b: u32) -> u32 {
        let (a, b): (u32, u32) = (a & 15u32, b & 15u32);
        let mut n: u32 = 0u32;
        'outer: for i in 0u32..a {
            let d: u32 = i + 1u32;
            let mut j: u32 = 0u32;
            while { j += 1u32; j < b } {
                if j == d { continue 'outer; }
                if i * j == 42u32 { break 'outer; }
                if j % 3u32 == 0u32 { continue; }
                n += j;
            }
            n += d;
        }
        n
    }
    fn loops(a: u32, b: u32) -> u32 {
        let found: u32 = 'search: loop {
            let mut i: u32 = a & 31u32;
            loop {
                i += 1u32;
                if i % 7u32 == 3u32 { break 'search i * 2u32; }
                if i > 20u32 { break; }
            }
            if b & 1u32 == 1u32 { return 77u32; }
            break 1u32;
        };
        found + if found > 4u32 { for k in 0u32..3u32 { if k == found - 5u32 { return k; } } 1u32 } else { 2u32 }
    }
    fn late(a: i32) -> i32 {
        let x: i32;
        if a > 3i32 { x = a / 2i32; } else { x = 4i32; }
        let x: i32 = x + 1i32;
        x
    }
    fn changed_counter(a: u8) -> u32 {
        let mut sum: u32 = 0u32;
        for mut i in 0u8..a { i = i / 2u8; sum += i as u32; }
        sum
    }
    fn literals(a: f32) -> f32 { a * 0.1f32 + 16777217.0f32 - 1e-45f32 + 3.4028235e38f32 }
    fn doubles(a: f64) -> f64 { a * 0.1f64 + 1e300f64 - 5e-324f64 }
    fn extremes(a: i64) -> i64 { if a == i64::MIN { i64::MAX } else if a == i64::MAX { i64::MIN } else { -9223372036854775808i64 } }
    fn wide(a: u64) -> u64 { (a ^ 18446744073709551615u64) | 1u64 << 40u32 }
    fn precedence(a: i32, b: i32) -> i32 { (a & 3i32) - ((b & 3i32) - (a & 1i32)) * (2i32 - -(a & 1i32)) }
    fn shift_sums(a: u32, b: u32) -> u32 { ((a >> 16u32) + (b >> 20u32)) >> 1u32 & 0xffffu32 ^ (a & 3u32) << 2u32 }
    fn early(a: i32) -> i32 { if a < 0i32 { return -1i32; } if a == 0i32 { return 0i32 } 1i32 }
    fn fails(a: i32) -> i32 { if a == 7i32 { panic!("seven") } else { a / 2i32 } }
    fn diverges_inside(a: i32) -> i32 { (a & 1i32) + if a == 3i32 { return 9i32 } else { 4i32 } }
    fn decided_receiver(a: i32) -> i32 { (if true { return a / 2i32 } else { a }).clamp(0i32, 31i32) }
    fn decided_operands(a: i32) -> i32 {
        let x: i32 = (a & 7i32) + (if a & 1i32 == 0i32 { if true { return 1i32 } else { 2i32 } } else { a & 3i32 }).max(2i32);
        x * (if false { 3i32 } else { if x > 5i32 { return x } else { 2i32 } })
    }
    fn unseen_scrutinee(a: i32, b: i32) -> i32 {
        let x: i32 = match (a / 2i32, b) { (_, _) if a > b => 1i32, (_, _) if { let c: i32 = a & 3i32; c == 1i32 } => 2i32, _ => 3i32 };
        x + match (a, b) { _ if b == 3i32 => 4i32, (i32::MIN..=0i32, _) | (1i32..=i32::MAX, _) => 8i32 }
    }
    fn dropped_parts(a: i32, b: i32) -> i32 {
        let (_, x): (i32, i32) = (a / b, b & 7i32);
        let (y, _): (i32, i32) = ({ let t: i32 = x; t }, a % b);
        x + y + (b & 1i32, 7i32 % a, a / b).0 + [a & 3i32, 12i32 / b][0]
    }
    fn unit_branches(a: i32) -> i32 { let mut x: i32 = 0i32; if a > 5i32 { } else if a > 2i32 { x = 1i32 } else { x = 2i32 } x }
}

/// Compares the functions of several modules.
macro_rules! compare {
    ($($test:ident: $($module:ident)*;)*) => {$(
        #[test]
        fn $test() {
            compare(stringify!($test), vec![$((stringify!($module), $module::TEXT, $module::cases())),*]);
        }
    )*};
}
// Each test compiles a program with g++, which takes longer than all the calls.
compare! {
    narrow_integers: of_i8 of_i16 of_u8 of_u16 signed_i8 signed_i16 unsigned_u8 unsigned_u16;
    integers_of_32_bits: of_i32 of_u32 signed_i32 unsigned_u32 mixed;
    integers_of_64_bits: of_i64 of_u64 signed_i64 unsigned_u64;
    sizes: of_isize of_usize signed_isize unsigned_usize;
    floats: of_f32 of_f64 of_f16 of_bf16;
    atomic_operations: new_i32 new_u32 new_i64 new_u64 new_isize new_f32 new_f64 new_f16 new_bf16 old_i16 old_u16 old_i32
        old_u32 old_i64 old_u64 old_f32 old_f64 old_f16 old_bf16;
}

fn compare(name: &str, programs: Vec<(&str, &str, Vec<Case>)>) {
    let mut body = String::new();
    let mut main = String::from("int main() {\n");
    let mut written: Vec<(Source, Vec<Case>)> = Vec::new();
    for (module, text, cases) in programs {
        let program = common::program(text, cfg!(debug_assertions));
        let validated = check(program).unwrap_or_else(|errors| panic!("{module}: {errors}"));
        let source = write(&validated, &Options::default());
        let _ = writeln!(body, "namespace {module} {{\n{}\n}}", common::host::for_host(&source.text));
        for case in &cases {
            call(&mut main, module, &source, case);
        }
        written.push((source, cases));
    }
    main.push_str("}\n");
    if let Ok(directory) = std::env::var("CUMBIA_DUMP") {
        for (source, _) in &written {
            std::fs::write(format!("{directory}/{}.cu", source.entry), &source.text).unwrap();
        }
    }
    let Some(output) = common::host::run(name, &format!("#line 1 \"emitted\"\n{body}\n#line 1 \"main\"\n{main}"))
    else {
        return;
    };
    let mut lines = output.lines();
    let mut wrong = Vec::new();
    let mut compared = 0;
    silence_expected_panics();
    EXPECTED.set(true);
    for (source, cases) in &written {
        for case in cases {
            for inputs in products(case) {
                compared += 1;
                let rust = catch_unwind(|| (case.run)(&inputs)).map_err(|payload| {
                    let text = payload.downcast_ref::<String>().map(String::as_str);
                    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("?").to_owned()
                });
                let line = lines.next().expect("a line for each call");
                let c = match line.strip_prefix('F') {
                    Some(site) => Err(source.sites[site.parse::<usize>().unwrap()].kind.to_string()),
                    None => Ok(line.parse::<u64>().unwrap()),
                };
                let same = match (&rust, &c) {
                    (Ok(rust), Ok(c)) => rust == c,
                    // Rust appends the values of a float's bounds.
                    (Err(rust), Err(c)) => rust.starts_with(c.as_str()),
                    _ => false,
                };
                if !same {
                    wrong.push(format!("{}: {}({inputs:x?}): Rust {rust:x?}, C {c:x?}", source.entry, case.name));
                }
            }
        }
    }
    EXPECTED.set(false);
    println!("{compared} calls");
    assert!(wrong.is_empty(), "{} calls differ:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

thread_local! {
    /// Whether panics of this thread are expected.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

fn silence_expected_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                others(panic);
            }
        }));
    });
}

/// Returns all combinations of the inputs of a case; the last parameter varies fastest.
fn products(case: &Case) -> Vec<Vec<u64>> {
    let mut products = vec![Vec::new()];
    for (_, edges) in &case.params {
        products =
            products.iter().flat_map(|start| edges.iter().map(|edge| [start.as_slice(), &[*edge]].concat())).collect();
    }
    products
}

/// Returns the calls of a case, in C++.
fn call(main: &mut String, module: &str, source: &Source, case: &Case) {
    let mut args = Vec::new();
    for (i, (ty, edges)) in case.params.iter().enumerate() {
        let list = edges.iter().map(|bits| format!("{bits}ull")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(main, "{{ const unsigned long long e{i}[] = {{{list}}}; for (unsigned long long b{i} : e{i})");
        args.push(format!("from_bits<{}>(b{i})", c_type(module, ty)));
    }
    // Functions that can fault take the launch.
    let marker = format!(" {}(", case.name);
    let marker_reserved = format!(" {}_(", case.name);
    let definition = source.text.lines().find(|line| {
        line.starts_with("static __device__ inline") && (line.contains(&marker) || line.contains(&marker_reserved))
    });
    let definition = definition.unwrap_or_else(|| panic!("`{}` was not emitted", case.name));
    if definition.contains("rt::Launch launch") {
        args.push(format!("{module}::rt::Launch{{&record, nullptr, nullptr, 0}}"));
    }
    let name = definition.split('(').next().unwrap().rsplit(' ').next().unwrap();
    let record = if source.takes_launch { format!("{module}::rt::Fault record = {{}}; ") } else { String::new() };
    let result = c_type(module, case.result);
    // NaNs are normalised.
    let nan = match case.result {
        "f32" => Some(("r != r", "0x7fc00000")),
        "f64" => Some(("r != r", "0x7ff8000000000000")),
        "f16" => Some(("(r.bits & 0x7fff) > 0x7c00", "0x7e00")),
        "bf16" => Some(("(r.bits & 0x7fff) > 0x7f80", "0x7fc0")),
        _ => None,
    };
    let canonical =
        nan.map_or_else(String::new, |(is_nan, bits)| format!("if ({is_nan}) r = from_bits<{result}>({bits}); "));
    let _ = writeln!(
        main,
        "try {{ {record}{result} r = {module}::device::{name}({}); {canonical}printf(\"%llu\\n\", to_bits<{result}>(r)); }} \
         catch (unsigned site) {{ printf(\"F%u\\n\", site); }}",
        args.join(", ")
    );
    main.push_str(&"}".repeat(case.params.len()));
    main.push('\n');
}

fn c_type(module: &str, rust: &str) -> String {
    let name = match rust {
        "f32" => "float",
        "f64" => "double",
        "bool" => "bool",
        "i8" => "signed char",
        "i16" => "short",
        "i32" => "int",
        "i64" | "isize" => "long long",
        "u8" => "unsigned char",
        "u16" => "unsigned short",
        "u32" => "unsigned",
        "f16" | "bf16" => return format!("{module}::rt::{rust}"),
        _ => "unsigned long long",
    };
    name.to_owned()
}
