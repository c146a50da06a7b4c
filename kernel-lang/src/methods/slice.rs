//! Definitions of methods of slices for the device, in Rust, as those in `integer`.

use cumbia_kernel_macros::device;

use crate::number::Integer;
use crate::types::DeviceType;

#[device]
pub fn swap<T: DeviceType>(x: &mut [T], a: usize, b: usize) {
    let value = x[a];
    x[a] = x[b];
    x[b] = value;
}

#[device]
pub fn fill<T: DeviceType>(x: &mut [T], value: T) {
    for element in x.iter_mut() {
        *element = value;
    }
}

#[device]
pub fn reverse<T: DeviceType>(x: &mut [T]) {
    let len = x.len();
    for i in 0..len / 2 {
        let other = len.wrapping_sub(i).wrapping_sub(1);
        let value = x[i];
        x[i] = x[other];
        x[other] = value;
    }
}

#[device]
pub fn copy_from_slice<T: DeviceType>(x: &mut [T], from: &[T]) {
    if x.len() != from.len() {
        panic!(
            "copy_from_slice: source slice length ({}) does not match destination slice length ({})",
            from.len(),
            x.len()
        );
    }
    for i in 0..x.len() {
        x[i] = from[i];
    }
}

#[device]
pub fn contains<T: DeviceType + PartialEq>(x: &[T], value: &T) -> bool {
    for element in x {
        if *element == *value {
            return true;
        }
    }
    false
}

/// By insertion up to 32 elements, and by a heap beyond: without recursion, and in place.
#[device]
pub fn sort_unstable<T: Integer>(x: &mut [T]) {
    let len = x.len();
    if len <= 32 {
        for i in 1..len {
            let value = x[i];
            let mut j = i;
            while j > 0 && x[j.wrapping_sub(1)] > value {
                x[j] = x[j.wrapping_sub(1)];
                j = j.wrapping_sub(1);
            }
            x[j] = value;
        }
        return;
    }
    let mut begin = len / 2;
    let mut end = len;
    while end > 1 {
        // The heap is built from its leaves; then the greatest element is moved behind it.
        if begin > 0 {
            begin = begin.wrapping_sub(1);
        } else {
            end = end.wrapping_sub(1);
            let greatest = x[0];
            x[0] = x[end];
            x[end] = greatest;
        }
        let value = x[begin];
        let mut parent = begin;
        loop {
            let mut child = parent.wrapping_mul(2).wrapping_add(1);
            if child >= end {
                break;
            }
            let right = child.wrapping_add(1);
            if right < end && x[right] > x[child] {
                child = right;
            }
            if x[child] <= value {
                break;
            }
            x[parent] = x[child];
            parent = child;
        }
        x[parent] = value;
    }
}

/// Equal integers are the same, so that any order of them is stable.
#[device]
pub fn sort<T: Integer>(x: &mut [T]) {
    x.sort_unstable();
}
