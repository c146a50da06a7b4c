//! Mathematical functions for kernels and the host.

use cumbia::prelude::*;

/// Evaluates at `x` the polynomial with these coefficients, the constant term first.
#[device]
pub fn polynomial<T: Float>(coefficients: &[T], x: T) -> T {
    let mut value = T::ZERO;
    for i in 0..coefficients.len() {
        value = value * x + coefficients[coefficients.len() - 1 - i];
    }
    value
}

/// Returns a smooth step, which rises from 0 at `low` to 1 at `high`.
#[device]
pub fn smooth_step<T: Float>(low: T, high: T, x: T) -> T {
    let t = ((x - low) / (high - low)).clamp(T::ZERO, T::ONE);
    t * t * (T::from_f64(3.0) - T::from_f64(2.0) * t)
}
