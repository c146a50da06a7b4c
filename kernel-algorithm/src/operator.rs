//! Operators: functions of values that algorithms take as arguments.
//!
//! An operator is a value of a device type, so that it can have state. Most have none: structs without fields, which
//! occupy no memory.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul};

use cumbia::__private::Equal;
use cumbia::{DeviceType, Number};
use cumbia_kernel_macros::{DeviceType, device};

/// A function of one value, which algorithms take as an argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator of one value, of type `{A}`",
    label = "not an operator",
    note = "why: an operator has device code for operands of its own types; Rust's closures and functions have none",
    note = "help: write `device_fn!(|a: {A}| -> R {{ .. }})` with the result type in place of `R`, or a struct with `#[device] impl Function1<{A}>`, which can call a `#[device]` function"
)]
#[device]
pub trait Function1<A: DeviceType>: DeviceType {
    /// The type of the result.
    type Output: DeviceType;

    /// Returns the result for `a`.
    fn call(self, a: A) -> Self::Output;
}

/// A function of two values, which algorithms take as an argument.
///
/// ```
/// use cumbia::algorithm::{Function2, reduce};
/// use cumbia::prelude::*;
///
/// /// The sum of squares, of which each operand is the root.
/// #[derive(Clone, Copy, DeviceType)]
/// struct Hypotenuse;
///
/// #[device]
/// impl Function2<f32, f32> for Hypotenuse {
///     type Output = f32;
///
///     const COMMUTATIVE: bool = true;
///
///     fn call(self, a: f32, b: f32) -> f32 {
///         a.hypot(b)
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let x = Device::cpu().to_device(&[2.0, 3.0, 6.0])?;
/// assert!((reduce(&x, 0.0, Hypotenuse).value()? - 7.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator of two values, of types `{A}` and `{B}`",
    label = "not an operator",
    note = "why: an operator has device code for operands of its own types; Rust's closures and functions have none",
    note = "help: write `device_fn!(|a: {A}, b: {B}| -> R {{ .. }})` with the result type in place of `R`, or a struct with `#[device] impl Function2<{A}, {B}>`, which can call a `#[device]` function"
)]
#[device]
pub trait Function2<A: DeviceType, B: DeviceType>: DeviceType {
    /// The type of the result.
    type Output: DeviceType;

    /// Whether the operands can be exchanged, which makes a reduction faster.
    const COMMUTATIVE: bool = false;

    /// Returns the result for `a` and `b`.
    fn call(self, a: A, b: B) -> Self::Output;
}

/// A function of three values, which algorithms take as an argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator of three values, of types `{A}`, `{B}` and `{C}`",
    label = "not an operator",
    note = "why: an operator has device code for operands of its own types; Rust's closures and functions have none",
    note = "help: write `device_fn!(|a: {A}, b: {B}, c: {C}| -> R {{ .. }})` with the result type in place of `R`, or a struct with `#[device] impl Function3<{A}, {B}, {C}>`, which can call a `#[device]` function"
)]
#[device]
pub trait Function3<A: DeviceType, B: DeviceType, C: DeviceType>: DeviceType {
    /// The type of the result.
    type Output: DeviceType;

    /// Returns the result for `a`, `b` and `c`.
    fn call(self, a: A, b: B, c: C) -> Self::Output;
}

/// A device type that kernels compare by `==`: numbers, `bool`, arrays of such types, and structs and enums with
/// `#[device(PartialEq)]` or with `#[device]` before their `impl PartialEq`.
#[diagnostic::on_unimplemented(
    message = "kernels cannot compare `{Self}` by `==`",
    label = "not comparable on a device",
    note = "why: the algorithm compares consecutive elements or keys on the device, which has no code of the host's `PartialEq`",
    note = "help: write `#[device(PartialEq)]` on the type in place of `#[derive(PartialEq)]`, or `#[device]` before its `impl PartialEq`"
)]
pub trait Equatable: DeviceType + PartialEq + Equal<Self> {}

#[diagnostic::do_not_recommend]
impl<T: DeviceType + PartialEq + Equal<T>> Equatable for T {}

/// The identity function.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Identity;

#[device]
impl<T: DeviceType> Function1<T> for Identity {
    type Output = T;

    fn call(self, a: T) -> T {
        a
    }
}

/// `a + b`.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Plus;

#[device]
impl<T: DeviceType + Add<Output = T>> Function2<T, T> for Plus {
    type Output = T;

    const COMMUTATIVE: bool = true;

    fn call(self, a: T, b: T) -> T {
        a + b
    }
}

/// `a * b`. It is not assumed to commute: matrices and quaternions do not.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Times;

#[device]
impl<T: DeviceType + Mul<Output = T>> Function2<T, T> for Times {
    type Output = T;

    fn call(self, a: T, b: T) -> T {
        a * b
    }
}

/// The lesser of two numbers. A NaN is ignored, as by [`f32::min`].
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Minimum;

#[device]
impl<T: Number> Function2<T, T> for Minimum {
    type Output = T;

    const COMMUTATIVE: bool = true;

    fn call(self, a: T, b: T) -> T {
        a.min(b)
    }
}

/// The greater of two numbers. A NaN is ignored, as by [`f32::max`].
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Maximum;

#[device]
impl<T: Number> Function2<T, T> for Maximum {
    type Output = T;

    const COMMUTATIVE: bool = true;

    fn call(self, a: T, b: T) -> T {
        a.max(b)
    }
}

/// `a & b`, of integers and `bool`.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct And;

#[device]
impl<T: DeviceType + BitAnd<Output = T>> Function2<T, T> for And {
    type Output = T;

    const COMMUTATIVE: bool = true;

    fn call(self, a: T, b: T) -> T {
        a & b
    }
}

/// `a | b`, of integers and `bool`.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Or;

#[device]
impl<T: DeviceType + BitOr<Output = T>> Function2<T, T> for Or {
    type Output = T;

    const COMMUTATIVE: bool = true;

    fn call(self, a: T, b: T) -> T {
        a | b
    }
}

/// `a ^ b`, of integers and `bool`.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Xor;

#[device]
impl<T: DeviceType + BitXor<Output = T>> Function2<T, T> for Xor {
    type Output = T;

    const COMMUTATIVE: bool = true;

    fn call(self, a: T, b: T) -> T {
        a ^ b
    }
}
