//! Definitions of `x.get(i).copied()`, `x.first().copied()` and `x.last().copied()` for the device, in Rust, as those in
//! `integer`. The macro passes each pair of calls as one method: an `Option` holds no reference.

use cumbia_kernel_macros::device;

use crate::types::DeviceType;

#[device]
pub fn get<T: DeviceType>(x: &[T], i: usize) -> Option<T> {
    if i < x.len() { Some(x[i]) } else { None }
}

#[device]
pub fn first<T: DeviceType>(x: &[T]) -> Option<T> {
    if x.is_empty() { None } else { Some(x[0]) }
}

#[device]
pub fn last<T: DeviceType>(x: &[T]) -> Option<T> {
    let len = x.len();
    if len == 0 { None } else { Some(x[len.wrapping_sub(1)]) }
}
