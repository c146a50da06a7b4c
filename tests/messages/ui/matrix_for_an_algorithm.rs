use cumbia::algorithm::{Plus, reduce};
use cumbia::prelude::*;

fn total(x: &DeviceArray<f32>) -> cumbia::Result<f32> {
    reduce(&x.reshape((2, 3))?, 0.0, Plus).value()
}

fn main() {}
