//! The definitions agree with the standard library, including in where they panic. They run on the host here.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use half::{bf16, f16};

use super::Number;
use super::{float::definitions as float, integer::definitions as integer};

/// Returns the result, or `None` for a panic.
fn outcome<R>(of: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(of)).ok()
}

#[track_caller]
fn same<R: PartialEq + Debug>(name: &str, args: impl Debug, defined: impl FnOnce() -> R, expected: impl FnOnce() -> R) {
    assert_eq!(outcome(defined), outcome(expected), "{name} of {args:?}");
}

/// Compares methods on all pairs of edge cases and pseudo-random numbers.
macro_rules! agree {
    (signed $($test:ident $type:ident),*) => {$(
        agree!(@all $test $type [wrapping_abs saturating_neg saturating_abs overflowing_abs]);
    )*};
    (unsigned $($test:ident $type:ident),*) => {$(agree!(@all $test $type [next_power_of_two]);)*};
    (@all $test:ident $type:ident $own:tt) => {
        agree!(@test $test $type
            [isqrt ilog2 ilog10 overflowing_neg] $own
            [ilog midpoint saturating_mul saturating_div wrapping_div wrapping_rem div_euclid rem_euclid
                wrapping_div_euclid wrapping_rem_euclid]
            [pow wrapping_pow saturating_pow overflowing_pow]);
    };
    (@test $test:ident $type:ident [$($unary:ident)*] [$($own:ident)*] [$($binary:ident)*] [$($power:ident)*]) => {
        #[test]
        fn $test() {
            let mut random = fastrand::Rng::with_seed(7);
            let mut numbers: Vec<$type> = vec![0, 1, 2, 3, 7, 10, 99, 100, $type::MAX, $type::MAX - 1, $type::MAX / 2];
            numbers.extend([$type::MIN, $type::MIN + 1, $type::MIN / 2, $type::MAX / 2 + 1, !0, !1, !6]);
            numbers.extend((0..20).map(|_| random.u64(..) as $type >> random.u32(..$type::BITS)));
            let squares = (0..10).map(|_| random.u64(..1 << ($type::BITS / 2)) as $type).map(|x| x.wrapping_mul(x));
            numbers.extend(squares.flat_map(|x| [x, x.wrapping_sub(1), x.wrapping_add(1)]));
            for &a in &numbers {
                $(same(stringify!($unary), a, || integer::$unary(a), || $type::$unary(a));)*
                $(same(stringify!($own), a, || integer::$own(a), || $type::$own(a));)*
                for &b in &numbers {
                    $(same(stringify!($binary), (a, b), || integer::$binary(a, b), || $type::$binary(a, b));)*
                }
                for n in [0, 1, 2, 3, 5, 8, 13, 31, 32, 63, 64, 1000] {
                    $(same(stringify!($power), (a, n), || integer::$power(a, n), || $type::$power(a, n));)*
                }
            }
        }
    };
}

agree!(signed i8_agrees i8, i16_agrees i16, i32_agrees i32, i64_agrees i64);
agree!(unsigned u8_agrees u8, u16_agrees u16, u32_agrees u32, u64_agrees u64);

/// Compares methods of floats by the bits of the results; all NaN are equal.
macro_rules! floats_agree {
    ($($test:ident $type:ident $bits:ident)*) => {$(
        #[test]
        fn $test() {
            let bits = |x: $type| if x.is_nan() { $type::NAN.to_bits() } else { x.to_bits() };
            let mut random = fastrand::Rng::with_seed(7);
            let mut numbers = vec![0.0, -0.0, 1.0, -1.0, 2.5, -7.25, $type::NAN, $type::INFINITY, $type::NEG_INFINITY];
            numbers.extend([$type::MAX, $type::MIN, $type::MIN_POSITIVE, -$type::MIN_POSITIVE, $type::EPSILON]);
            numbers.extend([1, 2, 1 << ($bits::BITS - 1) | 1].map($type::from_bits));
            numbers.extend((0..100).map(|_| $type::from_bits(random.u64(..) as $bits)));
            for &a in &numbers {
                same("next_up", a, || bits(float::next_up(a)), || bits(a.next_up()));
                same("next_down", a, || bits(float::next_down(a)), || bits(a.next_down()));
                same("is_subnormal", a, || float::is_subnormal(a), || a.is_subnormal());
                same("fract", a, || bits(float::fract::<$type, $type>(a)), || bits(a.fract()));
                for n in [0, 1, 2, 3, -1, -2, 7, -9] {
                    same("powi", (a, n), || bits(float::powi::<$type, $type>(a, n)), || bits(a.powi(n)));
                }
                for &b in &numbers {
                    same("midpoint", (a, b), || bits(float::midpoint(a, b)), || bits(a.midpoint(b)));
                    same("rem_euclid", (a, b), || bits(float::rem_euclid::<_, $type>(a, b)), || bits(a.rem_euclid(b)));
                    same("div_euclid", (a, b), || bits(float::div_euclid::<_, $type>(a, b)), || bits(a.div_euclid(b)));
                }
            }
        }
    )*};
}

floats_agree!(f32_agrees f32 u32 f64_agrees f64 u64);

#[test]
fn casts_agree_with_as() {
    assert_eq!(i8::cast(200u8), 200u8 as i8);
    assert_eq!(u32::cast(-1i64), -1i64 as u32);
    assert_eq!(u64::cast(-1.5f32), 0);
    assert_eq!(i32::cast(f64::NAN), 0);
    assert_eq!(i64::cast(1e30f64), i64::MAX);
    assert_eq!(f32::cast(u64::MAX), u64::MAX as f32);
    assert_eq!(f32::cast(0x0100_0001_0000_0001u64), 0x0100_0001_0000_0001u64 as f32);
    assert_eq!(f64::cast(f16::from_f32(0.1)), f16::from_f32(0.1).to_f64());
    assert_eq!(usize::cast(bf16::from_f32(7.9)), 7);
}
