//! The [`Integer`] trait.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, ShlAssign, Shr, ShrAssign};

pub(super) mod definitions;

use super::{Number, OrderedElement};
use crate::cpu::Call;
#[cfg(test)]
use crate::definition::primitive;
use crate::definition::{Returned, key};

/// Declares [`Integer`], and [`IntegerMethods`] with the methods that a kernel calls, and forwards each to the method
/// of the same name in the standard library. A method marked `may fault` records the call: the position of Rust's panic
/// would be inside the library.
macro_rules! integer {
    ($(
        $(#[$doc:meta])*
        fn $name:ident as $device:ident $key:tt $(may $fault:ident)?(self $(, $arg:ident: $ty:ty)*) -> $result:ty;
    )*) => {
        /// An integer, with the methods that all integers have in the standard library.
        ///
        /// ```
        /// use cumbia::prelude::*;
        ///
        /// /// Returns the Hamming distance.
        /// #[device]
        /// fn distance<T: Integer>(a: T, b: T) -> u32 {
        ///     (a ^ b).count_ones()
        /// }
        ///
        /// assert_eq!(distance(0b1010u8, 0b0110), 2);
        /// assert_eq!(distance(-1i64, 0), 64);
        /// ```
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not an integer type of a device",
            label = "not an integer of 8 to 64 bits",
            note = "why: an index, a count or a key of bits has a whole value, and its methods are those of integers",
            note = "help: use an integer type, such as `u32` or `usize`, for this value or array"
        )]
        pub trait Integer:
            Number
            + IntegerMethods
            + OrderedElement
            + Ord
            + Hash
            + Not<Output = Self>
            + BitAnd<Output = Self>
            + BitOr<Output = Self>
            + BitXor<Output = Self>
            + Shl<u32, Output = Self>
            + Shr<u32, Output = Self>
            + BitAndAssign
            + BitOrAssign
            + BitXorAssign
            + ShlAssign<u32>
            + ShrAssign<u32>
        {
            /// The number of bits.
            const BITS: u32;

            $($(#[$doc])* #[must_use] fn $name(self $(, $arg: $ty)*) -> $result;)*
        }

        /// The methods of [`Integer`] as a kernel calls them, implemented separately for each type, as those of floats.
        #[allow(missing_docs, reason = "each is named after the method")]
        pub trait IntegerMethods: Copy {
            $(
                fn $device(
                    self, call: Call<'_>, _: ($($ty,)*)
                ) -> Returned<key!(Self, $key), $result>;
            )*
        }

        /// The methods of this trait.
        #[cfg(test)]
        pub(super) const INTEGER_METHODS: &[Option<cumbia_kernel_ir::Method>] = &[$(primitive!($key)),*];

        integer!(@each [i8 i16 i32 i64 isize u8 u16 u32 u64 usize] {
            $(fn $name as $device $key $(may $fault)?(self $(, $arg: $ty)*) -> $result;)*
        });
    };
    (@note $call:ident fault) => { $call.note() };
    (@note $call:ident) => { _ = $call };
    (@each [$($integer:ident)*] $methods:tt) => { $(integer!(@impl $integer $methods);)* };
    (@impl $integer:ident {
        $(
            fn $name:ident as $device:ident $key:tt $(may $fault:ident)?
            (self $(, $arg:ident: $ty:ty)*) -> $result:ty;
        )*
    }) => {
        impl IntegerMethods for $integer {
            $(
                #[inline(always)]
                fn $device(
                    self, call: Call<'_>, ($($arg,)*): ($($ty,)*)
                ) -> Returned<key!(Self, $key), $result> {
                    integer!(@note call $($fault)?);
                    Returned::new($integer::$name(self $(, $arg)*))
                }
            )*
        }

        impl Integer for $integer {
            const BITS: u32 = $integer::BITS;

            $(
                #[inline]
                fn $name(self $(, $arg: $ty)*) -> $result {
                    $integer::$name(self $(, $arg)*)
                }
            )*
        }
    };
}

integer! {
    /// The number of bits that are 1.
    fn count_ones as __device_count_ones CountOnes(self) -> u32;
    /// The number of bits that are 0.
    fn count_zeros as __device_count_zeros CountZeros(self) -> u32;
    /// The number of leading bits that are 0.
    fn leading_zeros as __device_leading_zeros LeadingZeros(self) -> u32;
    /// The number of leading bits that are 1.
    fn leading_ones as __device_leading_ones LeadingOnes(self) -> u32;
    /// The number of trailing bits that are 0.
    fn trailing_zeros as __device_trailing_zeros TrailingZeros(self) -> u32;
    /// The number of trailing bits that are 1.
    fn trailing_ones as __device_trailing_ones TrailingOnes(self) -> u32;
    /// The bits rotated towards the high end.
    fn rotate_left as __device_rotate_left RotateLeft(self, n: u32) -> Self;
    /// The bits rotated towards the low end.
    fn rotate_right as __device_rotate_right RotateRight(self, n: u32) -> Self;
    /// The bytes in reverse order.
    fn swap_bytes as __device_swap_bytes SwapBytes(self) -> Self;
    /// The bits in reverse order.
    fn reverse_bits as __device_reverse_bits ReverseBits(self) -> Self;
    /// Converts to big-endian byte order.
    fn to_be as __device_to_be ToBe(self) -> Self;
    /// Converts to little-endian byte order.
    fn to_le as __device_to_le ToLe(self) -> Self;
    /// `self` to the power of `exponent`.
    fn pow as __device_pow [definitions::pow] may fault(self, exponent: u32) -> Self;
    /// The integer part of the square root; faults if `self` is negative.
    fn isqrt as __device_isqrt [definitions::isqrt] may fault(self) -> Self;
    /// The integer part of the logarithm to a base; faults if it is undefined.
    fn ilog as __device_ilog [definitions::ilog] may fault(self, base: Self) -> u32;
    /// The integer part of the logarithm to base 2; faults if it is undefined.
    fn ilog2 as __device_ilog2 [definitions::ilog2] may fault(self) -> u32;
    /// The integer part of the logarithm to base 10; faults if it is undefined.
    fn ilog10 as __device_ilog10 [definitions::ilog10] may fault(self) -> u32;
    /// The mean, rounded towards zero for signed types, and down for unsigned types.
    fn midpoint as __device_midpoint [definitions::midpoint](self, other: Self) -> Self;
    /// The sum, wrapping.
    fn wrapping_add as __device_wrapping_add WrappingAdd(self, rhs: Self) -> Self;
    /// The difference, wrapping.
    fn wrapping_sub as __device_wrapping_sub WrappingSub(self, rhs: Self) -> Self;
    /// The product, wrapping.
    fn wrapping_mul as __device_wrapping_mul WrappingMul(self, rhs: Self) -> Self;
    /// The quotient, where `MIN / -1` wraps to `MIN`; faults for division by 0.
    fn wrapping_div as __device_wrapping_div [definitions::wrapping_div] may fault(self, rhs: Self) -> Self;
    /// The remainder, where `MIN % -1` is 0; faults for division by 0.
    fn wrapping_rem as __device_wrapping_rem [definitions::wrapping_rem] may fault(self, rhs: Self) -> Self;
    /// The quotient of Euclidean division, like `wrapping_div`.
    fn wrapping_div_euclid as __device_wrapping_div_euclid [definitions::wrapping_div_euclid] may fault(self, rhs: Self) -> Self;
    /// The remainder of Euclidean division, like `wrapping_rem`.
    fn wrapping_rem_euclid as __device_wrapping_rem_euclid [definitions::wrapping_rem_euclid] may fault(self, rhs: Self) -> Self;
    /// The negation, wrapping.
    fn wrapping_neg as __device_wrapping_neg WrappingNeg(self) -> Self;
    /// `self << n`, with `n` modulo the number of bits.
    fn wrapping_shl as __device_wrapping_shl WrappingShl(self, n: u32) -> Self;
    /// `self >> n`, with `n` modulo the number of bits.
    fn wrapping_shr as __device_wrapping_shr WrappingShr(self, n: u32) -> Self;
    /// The power, wrapping.
    fn wrapping_pow as __device_wrapping_pow [definitions::wrapping_pow](self, exponent: u32) -> Self;
    /// The sum, or `None` on overflow.
    fn checked_add as __device_checked_add [definitions::checked_add](self, rhs: Self) -> Option<Self>;
    /// The difference, or `None` on overflow.
    fn checked_sub as __device_checked_sub [definitions::checked_sub](self, rhs: Self) -> Option<Self>;
    /// The product, or `None` on overflow.
    fn checked_mul as __device_checked_mul [definitions::checked_mul](self, rhs: Self) -> Option<Self>;
    /// The quotient, or `None` on overflow or for division by 0.
    fn checked_div as __device_checked_div [definitions::checked_div](self, rhs: Self) -> Option<Self>;
    /// The remainder, or `None` on overflow or for division by 0.
    fn checked_rem as __device_checked_rem [definitions::checked_rem](self, rhs: Self) -> Option<Self>;
    /// The negation, or `None` on overflow.
    fn checked_neg as __device_checked_neg [definitions::checked_neg](self) -> Option<Self>;
    /// `self << n`, or `None` if `n` is not less than the number of bits.
    fn checked_shl as __device_checked_shl [definitions::checked_shl](self, n: u32) -> Option<Self>;
    /// `self >> n`, or `None` if `n` is not less than the number of bits.
    fn checked_shr as __device_checked_shr [definitions::checked_shr](self, n: u32) -> Option<Self>;
    /// The power, or `None` on overflow.
    fn checked_pow as __device_checked_pow [definitions::checked_pow](self, exponent: u32) -> Option<Self>;
    /// The sum, saturating.
    fn saturating_add as __device_saturating_add SaturatingAdd(self, rhs: Self) -> Self;
    /// The difference, saturating.
    fn saturating_sub as __device_saturating_sub SaturatingSub(self, rhs: Self) -> Self;
    /// The product, saturating.
    fn saturating_mul as __device_saturating_mul [definitions::saturating_mul](self, rhs: Self) -> Self;
    /// The quotient, saturating; faults for division by 0.
    fn saturating_div as __device_saturating_div [definitions::saturating_div] may fault(self, rhs: Self) -> Self;
    /// The power, saturating.
    fn saturating_pow as __device_saturating_pow [definitions::saturating_pow](self, exponent: u32) -> Self;
    /// The wrapping sum, and whether it overflowed.
    fn overflowing_add as __device_overflowing_add OverflowingAdd(self, rhs: Self) -> (Self, bool);
    /// The wrapping difference, and whether it overflowed.
    fn overflowing_sub as __device_overflowing_sub OverflowingSub(self, rhs: Self) -> (Self, bool);
    /// The wrapping product, and whether it overflowed.
    fn overflowing_mul as __device_overflowing_mul OverflowingMul(self, rhs: Self) -> (Self, bool);
    /// The wrapping negation, and whether it overflowed.
    fn overflowing_neg as __device_overflowing_neg [definitions::overflowing_neg](self) -> (Self, bool);
    /// `wrapping_shl`, and whether `n` is not less than the number of bits.
    fn overflowing_shl as __device_overflowing_shl OverflowingShl(self, n: u32) -> (Self, bool);
    /// `wrapping_shr`, and whether `n` is not less than the number of bits.
    fn overflowing_shr as __device_overflowing_shr OverflowingShr(self, n: u32) -> (Self, bool);
    /// The wrapping power, and whether it overflowed.
    fn overflowing_pow as __device_overflowing_pow [definitions::overflowing_pow](self, exponent: u32) -> (Self, bool);
    /// `self << n`, or 0 if `n` is not less than the number of bits.
    fn unbounded_shl as __device_unbounded_shl UnboundedShl(self, n: u32) -> Self;
    /// `self >> n`, or 0 or −1 if `n` is not less than the number of bits.
    fn unbounded_shr as __device_unbounded_shr UnboundedShr(self, n: u32) -> Self;
}
