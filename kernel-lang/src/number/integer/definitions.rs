//! Definitions of methods of integers for the device, in Rust.
//!
//! They are compiled like a user's functions, except that their faults have the position of the call, and that they
//! have the overflow checks of the caller. On the CPU the standard library's method is called. A definition uses
//! wrapping operations wherever the standard library's method does not fault on overflow, and selects between values
//! rather than branches.

use cumbia_kernel_macros::device;

use super::Integer;

/// By squaring, as in core: without additional multiplications, so that it faults exactly when core does.
#[device]
pub fn pow<T: Integer>(base: T, exponent: u32) -> T {
    let mut power = T::ONE;
    let mut factor = base;
    let mut rest = exponent;
    if rest == 0 {
        return power;
    }
    loop {
        if rest & 1 == 1 {
            power *= factor;
            if rest == 1 {
                return power;
            }
        }
        rest >>= 1;
        factor *= factor;
    }
}

#[device]
pub fn wrapping_pow<T: Integer>(base: T, exponent: u32) -> T {
    let mut power = T::ONE;
    let mut factor = base;
    let mut rest = exponent;
    while rest != 0 {
        if rest & 1 == 1 {
            power = power.wrapping_mul(factor);
        }
        factor = factor.wrapping_mul(factor);
        rest >>= 1;
    }
    power
}

#[device]
pub fn saturating_pow<T: Integer>(base: T, exponent: u32) -> T {
    let bound = if base < T::ZERO && exponent & 1 == 1 { T::MIN } else { T::MAX };
    let mut power = T::ONE;
    let mut factor = base;
    let mut rest = exponent;
    if rest == 0 {
        return power;
    }
    loop {
        if rest & 1 == 1 {
            let (product, overflows) = power.overflowing_mul(factor);
            if overflows {
                return bound;
            }
            power = product;
        }
        rest >>= 1;
        if rest == 0 {
            return power;
        }
        let (square, overflows) = factor.overflowing_mul(factor);
        if overflows {
            return bound;
        }
        factor = square;
    }
}

#[device]
pub fn overflowing_pow<T: Integer>(base: T, exponent: u32) -> (T, bool) {
    let mut power = T::ONE;
    let mut factor = base;
    let mut rest = exponent;
    let mut any = false;
    if rest == 0 {
        return (power, any);
    }
    loop {
        if rest & 1 == 1 {
            let (product, overflows) = power.overflowing_mul(factor);
            power = product;
            any |= overflows;
            if rest == 1 {
                return (power, any);
            }
        }
        rest >>= 1;
        let (square, overflows) = factor.overflowing_mul(factor);
        factor = square;
        any |= overflows;
    }
}

/// From the square root of an `f32`. Up to 32 bits it is less than one too large after rounding to an integer, even as
/// CUDA's approximation; for 64 bits, a Newton step achieves an error of at most one.
#[device]
pub fn isqrt<T: Integer>(x: T) -> T {
    if T::MIN < T::ZERO && x < T::ZERO {
        panic!("argument of integer square root cannot be negative");
    }
    if T::BITS < 64 {
        // The sum has no bits below the point, and the root is its significand.
        let root = (f32::cast(x).sqrt() + 8_388_608.0).to_bits() & 0x007f_ffff;
        let too_large = (root as u64).wrapping_mul(root as u64) > u64::cast(x);
        T::cast(if too_large { root.wrapping_sub(1) } else { root })
    } else if x <= T::ONE {
        x
    } else {
        let square = u64::cast(x);
        // Not zero, so that the division needs no check.
        let estimate = ((square as f32).sqrt() as u32 | 1) as u64;
        let mut root = estimate.wrapping_add(square / estimate) >> 1;
        root = root.min(0xffff_ffff);
        while root.wrapping_mul(root) > square {
            root = root.wrapping_sub(1);
        }
        while square.wrapping_sub(root.wrapping_mul(root)) > root << 1 {
            root = root.wrapping_add(1);
        }
        T::cast(root)
    }
}

#[device]
pub fn ilog<T: Integer>(x: T, base: T) -> u32 {
    if base <= T::ONE {
        panic!("base of integer logarithm must be at least 2");
    }
    if x <= T::ZERO {
        panic!("argument of integer logarithm must be positive");
    }
    let mut power = 0u32;
    let mut rest = x;
    while rest >= base {
        rest /= base;
        power = power.wrapping_add(1);
    }
    power
}

/// The width is that of the device, which differs from `T::BITS` for a `usize` with `index = u32`.
#[device]
pub fn ilog2<T: Integer>(x: T) -> u32 {
    if x <= T::ZERO {
        panic!("argument of integer logarithm must be positive");
    }
    T::ONE.leading_zeros().wrapping_sub(x.leading_zeros())
}

#[device]
pub fn ilog10<T: Integer>(x: T) -> u32 {
    if x <= T::ZERO {
        panic!("argument of integer logarithm must be positive");
    }
    let ten = T::cast(10u8);
    let mut power = 0u32;
    let mut rest = x;
    while rest >= ten {
        rest /= ten;
        power = power.wrapping_add(1);
    }
    power
}

/// The predecessor of a power of two has only ones after the leading zeros of `x - 1`.
#[device]
pub fn next_power_of_two<T: Integer>(x: T) -> T {
    if x <= T::ONE {
        return T::ONE;
    }
    (!T::ZERO).wrapping_shr(x.wrapping_sub(T::ONE).leading_zeros()) + T::ONE
}

/// Up to 32 bits, the exact sum is halved. Otherwise the mean is rounded down, and corrected to round towards zero.
#[device]
pub fn midpoint<T: Integer>(a: T, b: T) -> T {
    if T::MIN < T::ZERO && T::BITS < 64 {
        return T::cast(i64::cast(a).wrapping_add(i64::cast(b)) / 2);
    }
    let down = (a & b).wrapping_add((a ^ b) >> 1);
    if T::MIN < T::ZERO && down < T::ZERO && (a ^ b) & T::ONE != T::ZERO { down.wrapping_add(T::ONE) } else { down }
}

#[device]
pub fn wrapping_abs<T: Integer>(x: T) -> T {
    if x < T::ZERO { x.wrapping_neg() } else { x }
}

#[device]
pub fn saturating_neg<T: Integer>(x: T) -> T {
    if x == T::MIN { T::MAX } else { x.wrapping_neg() }
}

#[device]
pub fn saturating_abs<T: Integer>(x: T) -> T {
    if x == T::MIN {
        T::MAX
    } else if x < T::ZERO {
        x.wrapping_neg()
    } else {
        x
    }
}

/// Up to 32 bits, the exact product is limited to the range of the type.
#[device]
pub fn saturating_mul<T: Integer>(a: T, b: T) -> T {
    if T::BITS < 64 && T::MIN < T::ZERO {
        let product = i64::cast(a).wrapping_mul(i64::cast(b));
        return T::cast(product.min(i64::cast(T::MAX)).max(i64::cast(T::MIN)));
    }
    let (product, overflows) = a.overflowing_mul(b);
    if !overflows {
        product
    } else if (a < T::ZERO) == (b < T::ZERO) {
        T::MAX
    } else {
        T::MIN
    }
}

#[device]
pub fn saturating_div<T: Integer>(a: T, b: T) -> T {
    if T::MIN < T::ZERO && a == T::MIN && b == !T::ZERO { T::MAX } else { a / b }
}

/// Only division by zero is a fault.
#[device]
pub fn wrapping_div<T: Integer>(a: T, b: T) -> T {
    if T::MIN < T::ZERO && b == !T::ZERO { a.wrapping_neg() } else { a / b }
}

#[device]
pub fn wrapping_rem<T: Integer>(a: T, b: T) -> T {
    if T::MIN < T::ZERO && b == !T::ZERO { T::ZERO } else { a % b }
}

#[device]
pub fn div_euclid<T: Integer>(a: T, b: T) -> T {
    let quotient = a / b;
    if T::MIN == T::ZERO {
        return quotient;
    }
    let remainder = a.wrapping_sub(quotient.wrapping_mul(b));
    let correction = if b > T::ZERO { !T::ZERO } else { T::ONE };
    if remainder < T::ZERO { quotient.wrapping_add(correction) } else { quotient }
}

#[device]
pub fn rem_euclid<T: Integer>(a: T, b: T) -> T {
    let remainder = a % b;
    if T::MIN == T::ZERO {
        return remainder;
    }
    let magnitude = if b < T::ZERO { b.wrapping_neg() } else { b };
    if remainder < T::ZERO { remainder.wrapping_add(magnitude) } else { remainder }
}

#[device]
pub fn wrapping_div_euclid<T: Integer>(a: T, b: T) -> T {
    if T::MIN < T::ZERO && b == !T::ZERO { a.wrapping_neg() } else { a.div_euclid(b) }
}

#[device]
pub fn wrapping_rem_euclid<T: Integer>(a: T, b: T) -> T {
    if T::MIN < T::ZERO && b == !T::ZERO { T::ZERO } else { a.rem_euclid(b) }
}

#[device]
pub fn overflowing_neg<T: Integer>(x: T) -> (T, bool) {
    (x.wrapping_neg(), if T::MIN < T::ZERO { x == T::MIN } else { x != T::ZERO })
}

#[device]
pub fn overflowing_abs<T: Integer>(x: T) -> (T, bool) {
    (if x < T::ZERO { x.wrapping_neg() } else { x }, x == T::MIN)
}

#[device]
pub fn checked_add<T: Integer>(a: T, b: T) -> Option<T> {
    let (result, overflows) = a.overflowing_add(b);
    if overflows { None } else { Some(result) }
}

#[device]
pub fn checked_sub<T: Integer>(a: T, b: T) -> Option<T> {
    let (result, overflows) = a.overflowing_sub(b);
    if overflows { None } else { Some(result) }
}

#[device]
pub fn checked_mul<T: Integer>(a: T, b: T) -> Option<T> {
    let (result, overflows) = a.overflowing_mul(b);
    if overflows { None } else { Some(result) }
}

#[device]
pub fn checked_div<T: Integer>(a: T, b: T) -> Option<T> {
    let overflows = T::MIN < T::ZERO && a == T::MIN && b == !T::ZERO;
    if b == T::ZERO || overflows { None } else { Some(a / b) }
}

#[device]
pub fn checked_rem<T: Integer>(a: T, b: T) -> Option<T> {
    let overflows = T::MIN < T::ZERO && a == T::MIN && b == !T::ZERO;
    if b == T::ZERO || overflows { None } else { Some(a % b) }
}

#[device]
pub fn checked_neg<T: Integer>(x: T) -> Option<T> {
    let (result, overflows) = x.overflowing_neg();
    if overflows { None } else { Some(result) }
}

#[device]
pub fn checked_shl<T: Integer>(x: T, n: u32) -> Option<T> {
    let (result, overflows) = x.overflowing_shl(n);
    if overflows { None } else { Some(result) }
}

#[device]
pub fn checked_shr<T: Integer>(x: T, n: u32) -> Option<T> {
    let (result, overflows) = x.overflowing_shr(n);
    if overflows { None } else { Some(result) }
}

#[device]
pub fn checked_pow<T: Integer>(x: T, exponent: u32) -> Option<T> {
    let (result, overflows) = x.overflowing_pow(exponent);
    if overflows { None } else { Some(result) }
}
