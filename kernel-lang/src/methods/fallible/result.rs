//! Definitions of methods of `Result` for the device, in Rust, as those of integers.

use cumbia_kernel_macros::device;

use super::DefaultValue;
use crate::types::{ConstantType, VariableType};

#[device]
pub fn is_ok<T: VariableType, E: VariableType>(this: Result<T, E>) -> bool {
    matches!(this, Ok(_))
}

#[device]
pub fn is_err<T: VariableType, E: VariableType>(this: Result<T, E>) -> bool {
    matches!(this, Err(_))
}

#[device]
pub fn ok<T: VariableType + ConstantType, E: VariableType>(this: Result<T, E>) -> Option<T> {
    match this {
        Ok(value) => Some(value),
        Err(_) => None,
    }
}

#[device]
pub fn err<T: VariableType, E: VariableType + ConstantType>(this: Result<T, E>) -> Option<E> {
    match this {
        Ok(_) => None,
        Err(error) => Some(error),
    }
}

#[device]
pub fn unwrap<T: VariableType, E: VariableType>(this: Result<T, E>) -> T {
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
pub fn unwrap_or<T: VariableType, E: VariableType>(this: Result<T, E>, default: T) -> T {
    match this {
        Ok(value) => value,
        Err(_) => default,
    }
}

#[device]
pub fn unwrap_or_default<T: DefaultValue, E: VariableType>(this: Result<T, E>) -> T {
    match this {
        Ok(value) => value,
        Err(_) => T::DEFAULT,
    }
}
