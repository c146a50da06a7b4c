//! A long filter by fast Fourier transforms: each block transforms two segments of the signal in shared memory, as the
//! real and the imaginary part of one, multiplies by the spectrum of the filter, transforms back, and keeps the samples
//! that no other segment contributes to (overlap-save). The transform is that of Stockham, which needs no bit reversal
//! (N. K. Govindaraju et al., "High Performance Discrete Fourier Transforms on Graphics Processors", 2008).
//!
//! ```text
//! cargo run --release --example fft_convolution [samples]
//! ```

use std::ops::{Add, Mul, Sub};
use std::time::Instant;

use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Complex {
    re: f32,
    im: f32,
}

#[device]
impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

#[device]
impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The length of a transform, and the number of threads that compute it: one for each pair of elements.
const LENGTH: usize = 1024;
const THREADS: usize = LENGTH / 2;
/// The number of coefficients of the filter.
const TAPS: usize = 257;
/// The number of samples that a transform contributes to the result.
const KEPT: usize = LENGTH - TAPS + 1;

/// Replaces `x` by its discrete Fourier transform. The sign of the exponent is −1, or 1 for the inverse transform.
#[device]
fn transform(x: &mut [Complex], sign: f32) {
    let t = thread_idx().x;
    let mut half = 1; // the length of the transforms that are complete
    while half < LENGTH {
        let k = t % half;
        let angle = sign * k as f32 / half as f32; // in multiples of π
        let (even, odd) = (x[t], x[t + THREADS] * Complex { re: angle.cospi(), im: angle.sinpi() });
        sync_threads(); // all elements are read
        x[2 * t - k] = even + odd;
        x[2 * t - k + half] = even - odd;
        sync_threads(); // all elements are written
        half *= 2;
    }
}

/// Returns an element, or 0 beyond the end.
#[device]
fn at(x: &[f32], i: usize) -> f32 {
    if i < x.len() { x[i] } else { 0.0 }
}

/// Computes the spectrum of the filter, divided by the length of the transform, with one block.
#[kernel(block = 512)]
fn analyse(filter: &[f32], spectrum: &mut [Complex]) {
    let mut x = shared::<[Complex; LENGTH]>();
    for i in (thread_idx().x..LENGTH).step_by(THREADS) {
        x[i] = Complex { re: at(filter, i) / LENGTH as f32, im: 0.0 };
    }
    sync_threads();
    transform(&mut x, -1.0);
    for i in (thread_idx().x..LENGTH).step_by(THREADS) {
        spectrum[i] = x[i];
    }
}

/// Filters the signal: `y[i]` is the sum of `filter[k] * signal[i + TAPS - 1 - k]`.
#[kernel(block = 512)]
fn convolve(signal: &[f32], spectrum: &[Complex], y: &mut [f32]) {
    let mut x = shared::<[Complex; LENGTH]>();
    let first = 2 * KEPT * block_idx().x;
    for i in (thread_idx().x..LENGTH).step_by(THREADS) {
        x[i] = Complex { re: at(signal, first + i), im: at(signal, first + KEPT + i) };
    }
    sync_threads();
    transform(&mut x, -1.0);
    for i in (thread_idx().x..LENGTH).step_by(THREADS) {
        x[i] = x[i] * spectrum[i];
    }
    sync_threads();
    transform(&mut x, 1.0);
    // The first TAPS − 1 samples contain the end of the segment, since the convolution is cyclic.
    for i in (thread_idx().x..LENGTH).step_by(THREADS) {
        if i + 1 >= TAPS {
            let sample = first + i + 1 - TAPS;
            if sample < y.len() {
                y[sample] = x[i].re;
            }
            if sample + KEPT < y.len() {
                y[sample + KEPT] = x[i].im;
            }
        }
    }
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let n =
        std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(if device.is_cpu() { 100_000 } else { 1 << 27 });
    let signal: Vec<f32> = (0..n + TAPS - 1).map(|i| (i * 7919 % 2003) as f32 / 1001.0 - 1.0).collect();
    let filter: Vec<f32> = (0..TAPS).map(|k| (0.05 * k as f32).cos() / TAPS as f32).collect();

    let (on_device, taps) = (device.to_device(&signal)?, device.to_device(&filter)?);
    let mut spectrum = device.zeros::<Complex>(LENGTH)?;
    let mut y = device.zeros::<f32>(n)?;
    analyse(&taps, &mut spectrum).grid(1).launch()?;
    let prepared = convolve(&on_device, &spectrum, &mut y).grid(n.div_ceil(2 * KEPT)).prepare()?;
    device.synchronize()?;
    let start = Instant::now();
    prepared.launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    // Some samples are compared with their definition, in `f64`.
    let y = y.to_host()?;
    for i in (0..n).step_by(n.div_ceil(10_007).max(1)) {
        let expected: f64 = (0..TAPS).map(|k| f64::from(filter[k]) * f64::from(signal[i + TAPS - 1 - k])).sum();
        assert!((f64::from(y[i]) - expected).abs() < 1e-5, "sample {i} is {}, expected {expected}", y[i]);
    }
    println!("fft_convolution on {device}: {n} samples, {TAPS} coefficients, in {time:.1?}, the result is correct");
    Ok(())
}
