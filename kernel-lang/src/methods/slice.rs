//! Definitions of methods of slices for the device, in Rust, as those in `integer`.

use cumbia_kernel_macros::device;

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
