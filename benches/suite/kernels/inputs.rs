//! Inputs that are computed on the device, since the largest have a gigabyte, and samples of results.

use cumbia::prelude::*;

/// Returns a pseudo-random number: the finaliser of MurmurHash3 of a seed and an index.
#[device]
pub(crate) fn hash(seed: u32, index: usize) -> u32 {
    let mut bits = (index as u32).wrapping_mul(0x9e37_79b9) ^ seed.wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
    bits ^ (bits >> 16)
}

/// Returns a pseudo-random number in [low, high).
#[device]
pub(crate) fn uniform(seed: u32, index: usize, low: f32, high: f32) -> f32 {
    low + (high - low) * ((hash(seed, index) >> 8) as f32 * (1.0 / 16_777_216.0))
}

#[kernel(fmad = false)]
fn fill_uniform(seed: u32, low: f32, high: f32, x: &mut [f32]) {
    for i in (grid(1)..x.len()).step_by(grid_size(1)) {
        x[i] = uniform(seed, i, low, high);
    }
}

#[kernel]
fn fill_below(seed: u32, bound: u32, x: &mut [u32]) {
    for i in (grid(1)..x.len()).step_by(grid_size(1)) {
        x[i] = hash(seed, i) % bound;
    }
}

const BLOCKS: usize = 1024;
const BLOCK: usize = 256;

/// Fills an array with pseudo-random numbers in [low, high).
pub(crate) fn set_random(x: &mut DeviceArray<f32>, seed: u32, [low, high]: [f32; 2]) -> cumbia::Result<()> {
    let blocks = BLOCKS.min(x.len().div_ceil(BLOCK));
    fill_uniform(seed, low, high, x).grid(blocks).block(BLOCK).launch()
}

/// Returns an array of pseudo-random numbers in [low, high).
pub(crate) fn random(device: &Device, len: usize, seed: u32, range: [f32; 2]) -> cumbia::Result<DeviceArray<f32>> {
    let mut x = device.zeros(len)?;
    set_random(&mut x, seed, range)?;
    Ok(x)
}

/// Returns an array of pseudo-random integers below a bound.
pub(crate) fn random_below(device: &Device, len: usize, seed: u32, bound: usize) -> cumbia::Result<DeviceArray<u32>> {
    let mut x = device.zeros(len)?;
    fill_below(seed, bound as u32, &mut x).grid(BLOCKS.min(len.div_ceil(BLOCK))).block(BLOCK).launch()?;
    Ok(x)
}

/// The number of elements of a sample.
const SAMPLE: usize = 3 << 20;

/// Returns a whole array, or the beginning, the middle and the end of a large one.
pub(crate) fn sample<T: DeviceType>(x: &DeviceArray<T>) -> cumbia::Result<Vec<T>> {
    let (len, part) = (x.len(), SAMPLE / 3);
    if len <= SAMPLE {
        return x.to_host();
    }
    let mut values = Vec::with_capacity(SAMPLE);
    for first in [0, (len - part) / 2, len - part] {
        values.append(&mut x.slice(first..first + part)?.to_host()?);
    }
    Ok(values)
}
