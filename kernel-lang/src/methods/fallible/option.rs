//! Definitions of methods of `Option` for the device, in Rust, as those of integers.

use cumbia_kernel_macros::device;

use super::DefaultValue;
use crate::types::{ConstantType, VariableType};

#[device]
pub fn is_some<T: VariableType>(this: Option<T>) -> bool {
    matches!(this, Some(_))
}

#[device]
pub fn is_none<T: VariableType>(this: Option<T>) -> bool {
    matches!(this, None)
}

#[device]
pub fn unwrap<T: VariableType>(this: Option<T>) -> T {
    match this {
        Some(value) => value,
        None => panic!("called `Option::unwrap()` on a `None` value"),
    }
}

#[device]
pub fn unwrap_or<T: VariableType>(this: Option<T>, default: T) -> T {
    match this {
        Some(value) => value,
        None => default,
    }
}

#[device]
pub fn unwrap_or_default<T: DefaultValue>(this: Option<T>) -> T {
    match this {
        Some(value) => value,
        None => T::DEFAULT,
    }
}

#[device]
pub fn or<T: VariableType>(this: Option<T>, other: Option<T>) -> Option<T> {
    match this {
        Some(value) => Some(value),
        None => other,
    }
}

#[device]
pub fn xor<T: VariableType + ConstantType>(this: Option<T>, other: Option<T>) -> Option<T> {
    match (this, other) {
        (Some(value), None) => Some(value),
        (None, Some(value)) => Some(value),
        _ => None,
    }
}

#[device]
pub fn and<T: VariableType, U: VariableType + ConstantType>(this: Option<T>, other: Option<U>) -> Option<U> {
    match this {
        Some(_) => other,
        None => None,
    }
}

#[device]
pub fn zip<T: VariableType + ConstantType, U: VariableType + ConstantType>(
    this: Option<T>,
    other: Option<U>,
) -> Option<(T, U)> {
    match (this, other) {
        (Some(first), Some(second)) => Some((first, second)),
        _ => None,
    }
}

#[device]
pub fn ok_or<T: VariableType, E: VariableType>(this: Option<T>, error: E) -> Result<T, E> {
    match this {
        Some(value) => Ok(value),
        None => Err(error),
    }
}
