use cumbia::prelude::*;
use zerocopy::{ByteEq, Immutable, IntoBytes};

/// Compared bytewise: a NaN equals itself, and 0.0 does not equal -0.0.
#[derive(Clone, Copy, ByteEq, Immutable, IntoBytes, DeviceType)]
#[repr(C)]
struct Mass {
    kilograms: f32,
}

#[kernel]
fn kernel(x: &[Mass], y: &mut [bool]) {
    y[0] = x[0] == x[1];
}

fn main() {}
