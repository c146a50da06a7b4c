//! Random number generators: [`Philox`], whose streams need no state in memory, and [`Xoroshiro128p`], Numba's generator.

mod philox;
mod xoroshiro;

use cumbia_kernel_macros::device;

pub use philox::Philox;
pub use xoroshiro::Xoroshiro128p;

/// 2⁻²⁴ and 2⁻⁵³: the spacing of `f32` and `f64` values in [1/2, 1).
const STEP_F32: f32 = 1.0 / 16_777_216.0;
const STEP_F64: f64 = 1.0 / 9_007_199_254_740_992.0;

/// Returns two independent samples of the normal distribution with mean 0 and variance 1, from two of the uniform
/// distribution on [0, 1).
///
/// G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates" (1958).
#[device]
fn box_muller_f32(u: f32, v: f32) -> (f32, f32) {
    // 1 − u is in (0, 1], so that the logarithm is finite.
    let radius = (-2.0 * (1.0 - u).ln()).sqrt();
    let angle = 2.0 * core::f32::consts::PI * v;
    (radius * angle.cos(), radius * angle.sin())
}

/// As [`box_muller_f32`].
#[device]
fn box_muller_f64(u: f64, v: f64) -> (f64, f64) {
    let radius = (-2.0 * (1.0 - u).ln()).sqrt();
    let angle = 2.0 * core::f64::consts::PI * v;
    (radius * angle.cos(), radius * angle.sin())
}
