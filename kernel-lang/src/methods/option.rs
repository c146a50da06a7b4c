//! Definitions of methods of `Option` and `Result` for the device, in Rust, as those in `integer`.

use cumbia_kernel_macros::device;

use super::fallible::DefaultValue;
use crate::types::VariableType;

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
pub fn xor<T: VariableType + crate::types::ConstantType>(this: Option<T>, other: Option<T>) -> Option<T> {
    match (this, other) {
        (Some(value), None) => Some(value),
        (None, Some(value)) => Some(value),
        _ => None,
    }
}

#[device]
pub fn and<T: VariableType, U: VariableType + crate::types::ConstantType>(
    this: Option<T>,
    other: Option<U>,
) -> Option<U> {
    match this {
        Some(_) => other,
        None => None,
    }
}

#[device]
pub fn zip<T: VariableType + crate::types::ConstantType, U: VariableType + crate::types::ConstantType>(
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

#[device]
pub fn is_ok<T: VariableType, E: VariableType>(this: Result<T, E>) -> bool {
    matches!(this, Ok(_))
}

#[device]
pub fn is_err<T: VariableType, E: VariableType>(this: Result<T, E>) -> bool {
    matches!(this, Err(_))
}

#[device]
pub fn ok<T: VariableType + crate::types::ConstantType, E: VariableType>(this: Result<T, E>) -> Option<T> {
    match this {
        Ok(value) => Some(value),
        Err(_) => None,
    }
}

#[device]
pub fn err<T: VariableType, E: VariableType + crate::types::ConstantType>(this: Result<T, E>) -> Option<E> {
    match this {
        Ok(_) => None,
        Err(error) => Some(error),
    }
}

#[device]
pub fn unwrap_ok<T: VariableType, E: VariableType>(this: Result<T, E>) -> T {
    match this {
        Ok(value) => value,
        Err(_) => panic!("called `Result::unwrap()` on an `Err` value"),
    }
}

#[device]
pub fn unwrap_err<T: VariableType, E: VariableType>(this: Result<T, E>) -> E {
    match this {
        Ok(_) => panic!("called `Result::unwrap_err()` on an `Ok` value"),
        Err(error) => error,
    }
}

#[device]
pub fn ok_unwrap_or<T: VariableType, E: VariableType>(this: Result<T, E>, default: T) -> T {
    match this {
        Ok(value) => value,
        Err(_) => default,
    }
}

#[device]
pub fn ok_unwrap_or_default<T: DefaultValue, E: VariableType>(this: Result<T, E>) -> T {
    match this {
        Ok(value) => value,
        Err(_) => T::DEFAULT,
    }
}
