//! Counter-based random number generator: Philox4x32-10.
//!
//! J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The
//! counter has the layout of cuRAND's `curandStatePhilox4_32_10_t`: the same seed, subsequence and offset produce the
//! same 32-bit outputs.

use cumbia_kernel_lang::__private::{BuiltIn, Operator, op};
use cumbia_kernel_macros::{DeviceType, device};

use super::{STEP_F32, STEP_F64, box_muller_f32, box_muller_f64};

/// The number of rounds.
const ROUNDS: u32 = 10;

/// The multipliers of a round.
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];

/// The increments of the key per round (Weyl sequence): the golden ratio and √3 − 1.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// A random number generator, Philox4x32-10: cuRAND's `curandStatePhilox4_32_10_t`.
///
/// Each thread creates its own generator, with the same `seed` for all threads, and its global index as the
/// `subsequence`. No state has to be stored between launches: `offset` is the number of outputs of the subsequence to
/// skip. The integer and `uniform` outputs are bitwise identical on all devices; `normal` outputs depend on the
/// device's `ln`, `sin` and `cos`.
///
/// ```
/// use cumbia::prelude::*;
/// use cumbia::random::Philox;
///
/// #[kernel]
/// fn throw(seed: u64, inside: &mut [u32]) {
///     let i = grid(1);
///     if i < inside.len() {
///         let mut random = Philox::new(seed, i as u64, 0);
///         for _ in 0..1000 {
///             let (x, y) = (random.uniform_f32(), random.uniform_f32());
///             if x * x + y * y < 1.0 {
///                 inside[i] += 1;
///             }
///         }
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let mut inside = Device::cpu().zeros::<u32>(64)?;
/// throw(7, &mut inside).over(64).launch()?;
/// let pi = 4.0 * inside.to_host()?.iter().sum::<u32>() as f64 / 64_000.0;
/// assert!((pi - 3.14159).abs() < 0.03);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeviceType)]
#[repr(C)]
pub struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
    /// The output block of the current counter.
    block: [u32; 4],
    /// The number of outputs of the block that were consumed: 0 to 3.
    used: u32,
}

// `PartialEq` is derived, and the fields are integers and arrays of integers.
impl Operator<op::Eq, Philox> for Philox {
    type Key = BuiltIn;
}

#[device]
impl Philox {
    /// Creates the generator of a seed and one of its 2⁶⁴ subsequences of 2⁶⁶ outputs each, and skips `offset` outputs.
    /// cuRAND's `curand_init`.
    pub fn new(seed: u64, subsequence: u64, offset: u64) -> Philox {
        let blocks = offset / 4;
        let counter = [blocks as u32, (blocks >> 32) as u32, subsequence as u32, (subsequence >> 32) as u32];
        let key = [seed as u32, (seed >> 32) as u32];
        Philox { counter, key, block: mix(counter, key), used: (offset % 4) as u32 }
    }

    /// Returns 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        let mut bits = self.block[0];
        if self.used == 1 {
            bits = self.block[1];
        } else if self.used == 2 {
            bits = self.block[2];
        } else if self.used == 3 {
            bits = self.block[3];
        }
        self.used += 1;
        if self.used == 4 {
            self.used = 0;
            self.counter = next(self.counter);
            self.block = mix(self.counter, self.key);
        }
        bits
    }

    /// Returns 64 random bits: two 32-bit outputs, the low half first.
    pub fn next_u64(&mut self) -> u64 {
        let low = self.next_u32() as u64;
        let high = self.next_u32() as u64;
        high << 32 | low
    }

    /// Returns a uniformly distributed number in [0, 1), a multiple of 2⁻²⁴.
    pub fn uniform_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * STEP_F32
    }

    /// Returns a uniformly distributed number in [0, 1), a multiple of 2⁻⁵³.
    pub fn uniform_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * STEP_F64
    }

    /// Returns an integer below `bound`, uniformly distributed up to a bias of 2⁻³², or 0 for a bound of 0.
    ///
    /// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019), without its rejection.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((self.next_u32() as u64 * bound as u64) >> 32) as u32
    }

    /// Returns two independent samples of the normal distribution with mean 0 and variance 1.
    pub fn normal_pair_f32(&mut self) -> (f32, f32) {
        let u = self.uniform_f32();
        let v = self.uniform_f32();
        box_muller_f32(u, v)
    }

    /// Returns a sample of the normal distribution with mean 0 and variance 1. [`Philox::normal_pair_f32`] returns two
    /// at the same cost.
    pub fn normal_f32(&mut self) -> f32 {
        self.normal_pair_f32().0
    }

    /// Returns two independent samples of the normal distribution with mean 0 and variance 1.
    pub fn normal_pair_f64(&mut self) -> (f64, f64) {
        let u = self.uniform_f64();
        let v = self.uniform_f64();
        box_muller_f64(u, v)
    }

    /// Returns a sample of the normal distribution with mean 0 and variance 1.
    pub fn normal_f64(&mut self) -> f64 {
        self.normal_pair_f64().0
    }
}

/// Returns the 128-bit counter plus 1.
#[device]
fn next(counter: [u32; 4]) -> [u32; 4] {
    let mut next = counter;
    next[0] = counter[0].wrapping_add(1);
    if next[0] == 0 {
        next[1] = counter[1].wrapping_add(1);
        if next[1] == 0 {
            next[2] = counter[2].wrapping_add(1);
            if next[2] == 0 {
                next[3] = counter[3].wrapping_add(1);
            }
        }
    }
    next
}

/// Returns the output block of a counter.
#[device]
fn mix(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut block = counter;
    let mut key = key;
    #[unroll]
    for _ in 0..ROUNDS {
        let first = MULTIPLIERS[0] as u64 * block[0] as u64;
        let second = MULTIPLIERS[1] as u64 * block[2] as u64;
        block = [
            (second >> 32) as u32 ^ block[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ block[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    block
}

#[cfg(test)]
mod tests {
    use super::{Philox, mix};

    /// The known-answer tests of the authors' Random123 1.09 (`kat_vectors`, philox4x32 10).
    #[test]
    fn known_answers() {
        assert_eq!(mix([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(mix([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            mix([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn offset_skips_outputs() {
        let mut whole = Philox::new(5, 9, 0);
        for skipped in 0..13 {
            let mut from_there = Philox::new(5, 9, skipped);
            assert_eq!(from_there.next_u32(), whole.next_u32());
        }
    }

    #[test]
    fn normal_samples_have_mean_0_and_variance_1() {
        let mut random = Philox::new(1, 2, 3);
        let n = 100_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            let x = random.normal_f64();
            sum += x;
            squares += x * x;
        }
        // Five standard errors: 1/√n for the mean, √(2/n) for the variance.
        let n = f64::from(n);
        assert!((sum / n).abs() < 5.0 / n.sqrt());
        assert!((squares / n - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
    }
}
