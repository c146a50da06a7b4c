//! Mathematics for kernels and for the host alike.

use cumbia::prelude::*;

/// The value at `x` of the polynomial with these coefficients, the constant one first.
#[device]
pub fn polynomial<T: Float>(coefficients: &[T], x: T) -> T {
    let mut value = T::ZERO;
    for i in 0..coefficients.len() {
        value = value * x + coefficients[coefficients.len() - 1 - i];
    }
    value
}

/// Rises smoothly from 0 at `low` to 1 at `high`.
#[device]
pub fn smooth_step<T: Float>(low: T, high: T, x: T) -> T {
    let t = ((x - low) / (high - low)).clamp(T::ZERO, T::ONE);
    t * t * (T::from_f64(3.0) - T::from_f64(2.0) * t)
}
