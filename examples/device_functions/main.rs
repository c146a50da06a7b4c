//! Device functions: kernels call generic `#[device]` functions of another module.
//!
//! ```text
//! cargo run --release --example device_functions
//! ```

mod math;

use std::time::Instant;

use cumbia::prelude::*;
use math::{polynomial, smooth_step};

/// `y = p(x)`, multiplied by a smooth step from 0 to 1 between `low` and `high`. The polynomial `p` is given by its
/// coefficients, the constant term first.
#[kernel]
fn blend<T: Float>(coefficients: &[T], low: T, high: T, x: &[T], y: &mut [T]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = polynomial(coefficients, x[i]) * smooth_step(low, high, x[i]);
    }
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    check::<f32>(&device, 1e-5)?;
    check::<f64>(&device, 1e-14)
}

/// Runs the kernel with element type `T`, and compares its result with that of the same functions on the host.
fn check<T: Float>(device: &Device, tolerance: f64) -> cumbia::Result<()> {
    let n = 1 << 20;
    let [low, high] = [0.2, 0.8].map(T::from_f64);
    let coefficients = [1.0, -0.5, 0.25, -0.125].map(T::from_f64);
    let xs: Vec<T> = (0..n).map(|i| T::from_f64(f64::from(i) / f64::from(n))).collect();

    let there = device.to_device(&coefficients)?;
    let x = device.to_device(&xs)?;
    let mut y = device.zeros::<T>(xs.len())?;
    let start = Instant::now();
    blend(&there, low, high, &x, &mut y).over(xs.len()).launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    let ys = y.to_host()?;
    for (&x, &y) in xs.iter().zip(&ys) {
        let expected = polynomial(&coefficients, x) * smooth_step(low, high, x);
        assert!((y - expected).abs() <= T::from_f64(tolerance), "y({x}) is {y}, expected {expected}");
    }
    let name = std::any::type_name::<T>();
    println!("device_functions on {device}: {n} numbers of type {name} in {time:.1?}, the result is correct");
    Ok(())
}
