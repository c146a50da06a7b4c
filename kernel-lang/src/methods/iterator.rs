//! Definitions of `x.iter().sum()`, `x.iter().copied().max()` and the like for the device, in Rust, as those in `integer`. The
//! macro passes each chain of calls as one method, since iterators are not values.

use cumbia_kernel_macros::device;

use crate::number::{Integer, Number};

/// The sum of no floats is -0.0, as in core.
#[device]
pub fn sum<T: Number>(x: &[T]) -> T {
    let mut sum = T::cast(-0.0f32);
    for &value in x {
        sum += value;
    }
    sum
}

#[device]
pub fn product<T: Number>(x: &[T]) -> T {
    let mut product = T::ONE;
    for &value in x {
        product *= value;
    }
    product
}

#[device]
pub fn max<T: Integer>(x: &[T]) -> Option<T> {
    if x.is_empty() {
        return None;
    }
    let mut max = x[0];
    for &value in x {
        max = max.max(value);
    }
    Some(max)
}

#[device]
pub fn min<T: Integer>(x: &[T]) -> Option<T> {
    if x.is_empty() {
        return None;
    }
    let mut min = x[0];
    for &value in x {
        min = min.min(value);
    }
    Some(min)
}
