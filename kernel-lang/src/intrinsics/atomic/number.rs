//! The operand types of atomic operations, and their implementation on the CPU.

#![allow(clippy::return_self_not_must_use, reason = "only the operations call these methods")]

use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering, fence,
};

use half::{bf16, f16};

use crate::types::Scalar;

/// The operand of [`atomic_load`](super::atomic_load) and [`atomic_store`](super::atomic_store): a number or a `bool`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic load or store of `{Self}`",
    label = "not a number or `bool`",
    note = "why: the hardware reads and writes up to 64 bits at once",
    note = "help: use a field or an element that is a number: `atomic_load(&x[i].count)`"
)]
pub trait AtomicLoad: Scalar {
    /// # Safety
    ///
    /// As for [`DeviceType::__load`](crate::DeviceType).
    #[doc(hidden)]
    unsafe fn atomic_load(place: *const Self, ordering: Ordering) -> Self;

    /// # Safety
    ///
    /// As for [`DeviceType::__store`](crate::DeviceType).
    #[doc(hidden)]
    unsafe fn atomic_store(place: *mut Self, value: Self, ordering: Ordering);
}

/// The operand of [`atomic_exch`](super::atomic_exch) and [`atomic_cas`](super::atomic_cas): `i16` to `i64`, `u16` to
/// `u64`, `isize`, `usize`, `f16`, `bf16`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic exchange of `{Self}`",
    label = "no atomic exchange of this type",
    note = "why: the hardware exchanges 16, 32 or 64 bits at once",
    note = "help: use a number of at least 16 bits, such as `u32`"
)]
pub trait AtomicExchange: AtomicLoad {
    /// Exchanges the value. Returns the old one.
    ///
    /// # Safety
    ///
    /// As for [`DeviceType::__store`](crate::DeviceType).
    #[doc(hidden)]
    unsafe fn atomic_exchange(place: *mut Self, value: Self, ordering: Ordering) -> Self;

    /// Exchanges the value if its bits equal those of `expected`. Returns the old value.
    ///
    /// # Safety
    ///
    /// As for [`DeviceType::__store`](crate::DeviceType).
    #[doc(hidden)]
    unsafe fn atomic_compare_exchange(
        place: *mut Self,
        expected: Self,
        value: Self,
        done: Ordering,
        failed: Ordering,
    ) -> Self;

    /// Replaces the old value by the result of `update`. Returns the old value.
    ///
    /// # Safety
    ///
    /// As for [`DeviceType::__store`](crate::DeviceType).
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn atomic_update(place: *mut Self, ordering: Ordering, update: impl Fn(Self) -> Self) -> Self {
        // SAFETY: guaranteed by the caller.
        let mut old = unsafe { Self::atomic_load(place, Ordering::Relaxed) };
        loop {
            // SAFETY: guaranteed by the caller.
            let found = unsafe { Self::atomic_compare_exchange(place, old, update(old), ordering, Ordering::Relaxed) };
            if found.to_bits64() == old.to_bits64() {
                return old;
            }
            old = found;
        }
    }
}

/// The operand of [`atomic_add`](super::atomic_add) and [`atomic_sub`](super::atomic_sub): `i32`, `u32`, `i64`, `u64`,
/// `isize`, `usize`, `f32`, `f64`, `f16`, `bf16`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic addition to `{Self}`",
    label = "no atomic addition of this type",
    note = "why: the hardware has atomic additions of 32 and 64 bits, and of 16-bit floats",
    note = "help: use `i32`, `u32`, `i64`, `u64`, `isize`, `usize`, `f32`, `f64`, `f16` or `bf16`"
)]
pub trait AtomicAdd: AtomicExchange {
    #[doc(hidden)]
    fn sum(this: Self, value: Self) -> Self;
    #[doc(hidden)]
    fn difference(this: Self, value: Self) -> Self;

    /// Adds a value. Returns the old one.
    ///
    /// # Safety
    ///
    /// As for [`DeviceType::__store`](crate::DeviceType).
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn atomic_add(place: *mut Self, value: Self, ordering: Ordering) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::atomic_update(place, ordering, |old| Self::sum(old, value)) }
    }
}

/// The operand of [`atomic_min`](super::atomic_min) and [`atomic_max`](super::atomic_max): `i32`, `u32`, `i64`, `u64`,
/// `isize`, `usize`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic minimum or maximum of `{Self}`",
    label = "no atomic minimum or maximum of this type",
    note = "why: the hardware compares numbers of 32 and 64 bits",
    note = "help: use `i32`, `u32`, `i64`, `u64`, `isize`, `usize`, `f32` or `f64`"
)]
pub trait AtomicMinMax: AtomicAdd {
    #[doc(hidden)]
    fn lesser(this: Self, value: Self) -> Self;
    #[doc(hidden)]
    fn greater(this: Self, value: Self) -> Self;
}

/// The operand of [`atomic_and`](super::atomic_and), [`atomic_or`](super::atomic_or) and
/// [`atomic_xor`](super::atomic_xor): `i32`, `u32`, `i64`, `u64`, `isize`, `usize`.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations on the bits of `{Self}`",
    label = "not an integer of 32 or 64 bits",
    note = "why: the hardware has them for integers of 32 and 64 bits",
    note = "help: use `i32`, `u32`, `i64`, `u64`, `isize` or `usize`"
)]
pub trait AtomicBits: AtomicMinMax {
    #[doc(hidden)]
    fn and(this: Self, value: Self) -> Self;
    #[doc(hidden)]
    fn or(this: Self, value: Self) -> Self;
    #[doc(hidden)]
    fn xor(this: Self, value: Self) -> Self;
}

/// The operand of [`atomic_inc`](super::atomic_inc) and [`atomic_dec`](super::atomic_dec): `u32`, `u64`, `usize`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic wrapping counter of type `{Self}`",
    label = "not an unsigned integer of 32 or 64 bits",
    note = "why: the hardware wraps counters at a limit for unsigned integers only",
    note = "help: use `u32`, `u64` or `usize`; `atomic_add` adds to any number"
)]
pub trait AtomicCount: AtomicBits {
    #[doc(hidden)]
    fn up_to(this: Self, limit: Self) -> Self;
    #[doc(hidden)]
    fn down_from(this: Self, limit: Self) -> Self;
}

/// Implements loads and stores by the atomic type of the same size: the type, and the conversions to and from its
/// content.
macro_rules! load {
    ($($number:ident $atomic:ident: $to:expr, $from:expr;)*) => {$(
        impl AtomicLoad for $number {
            #[inline(always)]
            unsafe fn atomic_load(place: *const Self, ordering: Ordering) -> Self {
                // Only relaxed loads are allowed on read-only memory: see `RELAXED_LOADS_ONLY_READ` of
                // `types/scalar.rs`.
                if ordering == Ordering::SeqCst {
                    fence(Ordering::SeqCst);
                }
                // SAFETY: guaranteed by the caller, and the atomic has the number's size and alignment.
                let bits = unsafe { &*place.cast::<$atomic>() }.load(Ordering::Relaxed);
                if ordering != Ordering::Relaxed {
                    // A store whose value a relaxed load reads synchronises with a fence after that load.
                    fence(Ordering::Acquire);
                }
                ($from)(bits)
            }

            #[inline(always)]
            unsafe fn atomic_store(place: *mut Self, value: Self, ordering: Ordering) {
                // SAFETY: as above.
                unsafe { $atomic::from_ptr(place.cast()) }.store(($to)(value), ordering);
            }
        }
    )*};
}

/// Implements exchanges as well as loads and stores.
macro_rules! exchange {
    ($($number:ident $atomic:ident: $to:expr, $from:expr;)*) => {
        load! { $($number $atomic: $to, $from;)* }

        $(impl AtomicExchange for $number {
            #[inline(always)]
            unsafe fn atomic_exchange(place: *mut Self, value: Self, ordering: Ordering) -> Self {
                // SAFETY: guaranteed by the caller, and the atomic has the number's size and alignment.
                ($from)(unsafe { $atomic::from_ptr(place.cast()) }.swap(($to)(value), ordering))
            }

            #[inline(always)]
            unsafe fn atomic_compare_exchange(
                place: *mut Self,
                expected: Self,
                value: Self,
                done: Ordering,
                failed: Ordering,
            ) -> Self {
                // SAFETY: as above.
                let place = unsafe { $atomic::from_ptr(place.cast()) };
                match place.compare_exchange(($to)(expected), ($to)(value), done, failed) {
                    Ok(old) | Err(old) => ($from)(old),
                }
            }
        })*
    };
}

load! {
    bool AtomicU8: u8::from, |byte: u8| byte != 0;
    i8 AtomicI8: |v: i8| v, |b: i8| b;
    u8 AtomicU8: |v: u8| v, |b: u8| b;
}

exchange! {
    i16 AtomicI16: |v: i16| v, |b: i16| b;
    u16 AtomicU16: |v: u16| v, |b: u16| b;
    i32 AtomicI32: |v: i32| v, |b: i32| b;
    u32 AtomicU32: |v: u32| v, |b: u32| b;
    i64 AtomicI64: |v: i64| v, |b: i64| b;
    u64 AtomicU64: |v: u64| v, |b: u64| b;
    isize AtomicIsize: |v: isize| v, |b: isize| b;
    usize AtomicUsize: |v: usize| v, |b: usize| b;
    f16 AtomicU16: f16::to_bits, f16::from_bits;
    bf16 AtomicU16: bf16::to_bits, bf16::from_bits;
    f32 AtomicU32: f32::to_bits, f32::from_bits;
    f64 AtomicU64: f64::to_bits, f64::from_bits;
}

/// Implements the arithmetic, ordering and bitwise operations of integers.
macro_rules! integers {
    ($($integer:ident $atomic:ident)*) => {$(
        impl AtomicAdd for $integer {
            #[inline(always)]
            fn sum(this: Self, value: Self) -> Self {
                this.wrapping_add(value)
            }

            #[inline(always)]
            fn difference(this: Self, value: Self) -> Self {
                this.wrapping_sub(value)
            }

            // Not a loop around a compare-exchange: the most frequent operation is a single instruction, even under
            // contention.
            #[inline(always)]
            unsafe fn atomic_add(place: *mut Self, value: Self, ordering: Ordering) -> Self {
                // SAFETY: guaranteed by the caller, and the atomic has the integer's size and alignment.
                unsafe { $atomic::from_ptr(place) }.fetch_add(value, ordering)
            }
        }

        impl AtomicMinMax for $integer {
            #[inline(always)]
            fn lesser(this: Self, value: Self) -> Self {
                this.min(value)
            }

            #[inline(always)]
            fn greater(this: Self, value: Self) -> Self {
                this.max(value)
            }
        }

        impl AtomicBits for $integer {
            #[inline(always)]
            fn and(this: Self, value: Self) -> Self {
                this & value
            }

            #[inline(always)]
            fn or(this: Self, value: Self) -> Self {
                this | value
            }

            #[inline(always)]
            fn xor(this: Self, value: Self) -> Self {
                this ^ value
            }
        }
    )*};
}

integers!(i32 AtomicI32 u32 AtomicU32 i64 AtomicI64 u64 AtomicU64 isize AtomicIsize usize AtomicUsize);

macro_rules! count {
    ($($integer:ident)*) => {$(
        impl AtomicCount for $integer {
            #[inline(always)]
            fn up_to(this: Self, limit: Self) -> Self {
                if this >= limit { 0 } else { this + 1 }
            }

            #[inline(always)]
            fn down_from(this: Self, limit: Self) -> Self {
                if this == 0 || this > limit { limit } else { this - 1 }
            }
        }
    )*};
}

count!(u32 u64 usize);

macro_rules! add_floats {
    ($($float:ident)*) => {$(
        impl AtomicAdd for $float {
            #[inline(always)]
            fn sum(this: Self, value: Self) -> Self {
                this + value
            }

            #[inline(always)]
            fn difference(this: Self, value: Self) -> Self {
                this - value
            }
        }
    )*};
}

add_floats!(f16 bf16 f32 f64);

/// Implements minimum and maximum of floats: a NaN operand changes nothing, a NaN in memory is replaced; −0 is less
/// than +0.
macro_rules! compare_floats {
    ($($float:ident)*) => {$(
        impl AtomicMinMax for $float {
            #[inline(always)]
            fn lesser(this: Self, value: Self) -> Self {
                let below = value < this || (value == this && value.is_sign_negative());
                if below || (this.is_nan() && !value.is_nan()) { value } else { this }
            }

            #[inline(always)]
            fn greater(this: Self, value: Self) -> Self {
                let above = value > this || (value == this && value.is_sign_positive());
                if above || (this.is_nan() && !value.is_nan()) { value } else { this }
            }
        }
    )*};
}

compare_floats!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_and_maximum_ignore_nan_and_order_zeros() {
        let nan = f32::NAN;
        let bits = |x: f32| x.to_bits();
        for (old, value, lesser, greater) in [
            (1.0, 2.0, 1.0, 2.0),
            (2.0, -1.0, -1.0, 2.0),
            (nan, 1.0, 1.0, 1.0),
            (1.0, nan, 1.0, 1.0),
            (-0.0, 0.0, -0.0, 0.0),
            (0.0, -0.0, -0.0, 0.0),
            (f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY),
        ] {
            assert_eq!(
                (bits(f32::lesser(old, value)), bits(f32::greater(old, value))),
                (bits(lesser), bits(greater)),
                "{old} {value}"
            );
        }
        assert!(f32::lesser(nan, nan).is_nan() && f32::greater(nan, nan).is_nan());
    }

    #[test]
    fn counters_wrap_at_the_limit() {
        assert_eq!([0u32, 2, 3, 4, u32::MAX].map(|old| u32::up_to(old, 3)), [1, 3, 0, 0, 0]);
        assert_eq!([0u32, 2, 3, 4, u32::MAX].map(|old| u32::down_from(old, 3)), [3, 1, 2, 3, 3]);
        assert_eq!(u64::up_to(u64::MAX, u64::MAX), 0);
    }

    #[test]
    fn exchanges_compare_bits() {
        let mut place = f32::NAN;
        let (relaxed, place) = (Ordering::Relaxed, &raw mut place);
        // SAFETY: the place is a live variable.
        unsafe {
            let cas = |expected, value| f32::atomic_compare_exchange(place, expected, value, relaxed, relaxed);
            assert!(cas(0.0, 1.0).is_nan());
            assert!(cas(f32::NAN, -0.0).is_nan());
            assert_eq!(cas(0.0, 1.0).to_bits(), (-0.0f32).to_bits());
            assert_eq!(f32::atomic_load(place, relaxed).to_bits(), (-0.0f32).to_bits());
            assert_eq!(f32::atomic_update(place, relaxed, |old| old + 2.5), -0.0);
            assert_eq!(f32::atomic_exchange(place, 1.0, relaxed), 2.5);
        }
    }
}
