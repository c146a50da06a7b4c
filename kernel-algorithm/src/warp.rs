//! Algorithms of a warp: the 32 lanes call a function together, each with its value or its array of adjacent values.

use cumbia::DeviceType;
use cumbia::intrinsics::{WARP_SIZE, lane_id, shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync};
use cumbia_kernel_macros::device;

use crate::operator::Function2;

/// Returns whether the device is a GPU.
#[device(unsafe(cuda = "return true;"))]
pub(crate) fn is_gpu() -> bool {
    false
}

/// Returns the reduction of the values of the 32 lanes, in all lanes.
///
/// All lanes of the warp must call it, as every function of a warp. If one has returned early, the result is unspecified, as it
/// is undefined in CUDA, and no device detects that: a lane without an element takes part with a neutral one,
/// `let v = if i < n { x[i] } else { 0.0 };`.
#[device]
pub fn warp_reduce<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    let mut total = value;
    for delta in [1, 2, 4, 8, 16] {
        let other = shfl_xor_sync(u32::MAX, total, delta);
        if F::COMMUTATIVE {
            total = operator.call(total, other);
        } else {
            // The operands keep the order of the lanes.
            let is_lower = lane_id() & delta == 0;
            let first = if is_lower { total } else { other };
            let second = if is_lower { other } else { total };
            total = operator.call(first, second);
        }
    }
    total
}

/// Returns the reduction of the values of the first `count` lanes, at least one, in all lanes.
#[device]
pub(crate) fn warp_reduce_first<T: DeviceType, F: Function2<T, T, Output = T>>(
    value: T,
    count: usize,
    operator: F,
) -> T {
    // A lane never combines its value with one that a shuffle from beyond the warp returns.
    let lanes = count.min(WARP_SIZE);
    let mut total = value;
    for delta in [1, 2, 4, 8, 16] {
        let other = shfl_down_sync(u32::MAX, total, delta);
        if lane_id() + delta < lanes {
            total = operator.call(total, other);
        }
    }
    shfl_sync(u32::MAX, total, 0)
}

/// Returns the reduction of the values of the lanes up to the own one.
#[device]
pub fn warp_inclusive_scan<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    warp_scan_first(value, WARP_SIZE, operator)
}

/// Returns the reduction of `initial` and the values of the lanes before the own one; in the first lane, `initial`.
#[device]
pub fn warp_exclusive_scan<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, initial: T, operator: F) -> T {
    let prefix = warp_prefix(value, operator);
    if lane_id() == 0 { initial } else { operator.call(initial, prefix) }
}

/// Returns the exclusive prefix of each lane: the reduction of the values of the lanes before the own one; in the first lane, any
/// value.
#[device]
fn warp_prefix<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    let through = warp_scan_first(value, WARP_SIZE, operator);
    shfl_up_sync(u32::MAX, through, 1)
}

/// Returns the reduction of the values of the lanes up to the own one, in the first `count` lanes; in the others, any value.
#[device]
pub(crate) fn warp_scan_first<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, count: usize, operator: F) -> T {
    let mut total = value;
    for delta in [1, 2, 4, 8, 16] {
        let other = shfl_up_sync(u32::MAX, total, delta);
        if lane_id() >= delta && lane_id() < count {
            total = operator.call(other, total);
        }
    }
    total
}

/// Returns the reduction of the values of the 32 lanes, `N` adjacent ones of each, in all lanes.
#[device]
pub fn warp_reduce_array<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    operator: F,
) -> T {
    warp_reduce(total_of(values, operator), operator)
}

/// Returns the inclusive scan of the values of the 32 lanes, `N` adjacent ones of each: the element `k` of the result is the
/// reduction of the values up to the element `k` of the own ones.
#[device]
pub fn warp_inclusive_scan_array<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    operator: F,
) -> [T; N] {
    let prefix = warp_prefix(total_of(values, operator), operator);
    let first = if lane_id() == 0 { values[0] } else { operator.call(prefix, values[0]) };
    inclusive_from(values, first, operator)
}

/// Returns the exclusive scan of the values of the 32 lanes, `N` adjacent ones of each: the element `k` of the result is the
/// reduction of `initial` and the values before the element `k` of the own ones.
#[device]
pub fn warp_exclusive_scan_array<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    initial: T,
    operator: F,
) -> [T; N] {
    let first = warp_exclusive_scan(total_of(values, operator), initial, operator);
    exclusive_from(values, first, operator)
}

/// Returns the reduction of the values of an array.
#[device]
pub(crate) fn total_of<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    operator: F,
) -> T {
    let mut total = values[0];
    #[unroll]
    for k in 1..N {
        total = operator.call(total, values[k]);
    }
    total
}

/// Returns the inclusive scan of an array, with this first element.
#[device]
pub(crate) fn inclusive_from<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    first: T,
    operator: F,
) -> [T; N] {
    let mut through = values;
    through[0] = first;
    #[unroll]
    for k in 1..N {
        through[k] = operator.call(through[k - 1], values[k]);
    }
    through
}

/// Returns the exclusive scan of an array, with this first element.
#[device]
pub(crate) fn exclusive_from<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    first: T,
    operator: F,
) -> [T; N] {
    let mut before = values;
    before[0] = first;
    #[unroll]
    for k in 1..N {
        before[k] = operator.call(before[k - 1], values[k - 1]);
    }
    before
}
