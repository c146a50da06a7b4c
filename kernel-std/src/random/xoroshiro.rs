//! The generator xoroshiro128+, in the version of 2016 that Numba uses.
//!
//! D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021), and their reference
//! implementation, `xoroshiro128plus.c` of 2016 (rotations by 55 and 36, shift by 14).

use cumbia_kernel_lang::__private::{BuiltIn, Operator, op};
use cumbia_kernel_macros::{DeviceType, device};

use super::{STEP_F32, STEP_F64, box_muller_f32, box_muller_f64};

/// The jump polynomial of the reference implementation: 2⁶⁴ steps.
const JUMP: [u64; 2] = [0xbeac_0467_eba5_facb, 0xd86b_048b_86aa_9922];

/// A random number generator, xoroshiro128+: Numba's `xoroshiro128p`, with 16 bytes of state and a period of 2¹²⁸ − 1.
///
/// Each thread needs a state of its own, which [`Xoroshiro128p::states`] creates and an array holds between launches.
/// The states are 2⁶⁴ outputs apart in one sequence, so that the sequences of threads do not overlap. [`Philox`] needs no
/// array, and is the better choice for new programs; this generator reproduces the sequences of Numba's: seeds, states,
/// 64-bit and `uniform_f64` outputs are bitwise the same. All outputs but the `normal` ones are the same on all devices.
///
/// The lowest bits of the 64-bit outputs are of lower quality (the lowest is a linear-feedback shift register), and
/// [`next_u32`](Xoroshiro128p::next_u32) and the uniform numbers use the highest ones.
///
/// ```
/// use cumbia::prelude::*;
/// use cumbia::random::Xoroshiro128p;
///
/// #[kernel]
/// fn throw(states: &mut [Xoroshiro128p], inside: &mut [u32]) {
///     let i = grid(1);
///     if i < states.len() {
///         let mut random = states[i];
///         for _ in 0..1000 {
///             let (x, y) = (random.uniform_f32(), random.uniform_f32());
///             if x * x + y * y < 1.0 {
///                 inside[i] += 1;
///             }
///         }
///         states[i] = random; // for the next launch
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let mut states = device.to_device(&Xoroshiro128p::states(7, 64))?;
/// let mut inside = device.zeros::<u32>(64)?;
/// throw(&mut states, &mut inside).over(64).launch()?;
/// let pi = 4.0 * inside.to_host()?.iter().sum::<u32>() as f64 / 64_000.0;
/// assert!((pi - 3.14159).abs() < 0.03);
/// # Ok(())
/// # }
/// ```
///
/// [`Philox`]: super::Philox
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeviceType)]
#[repr(C)]
pub struct Xoroshiro128p {
    s0: u64,
    s1: u64,
}

// `PartialEq` is derived, and the fields are integers.
impl Operator<op::Eq, Xoroshiro128p> for Xoroshiro128p {
    type Key = BuiltIn;
}

impl Xoroshiro128p {
    /// Returns the states of `n` generators, each 2⁶⁴ outputs after the one before: Numba's
    /// `create_xoroshiro128p_states`. Takes about 128 steps per state, on the host.
    pub fn states(seed: u64, n: usize) -> Vec<Xoroshiro128p> {
        let first = Xoroshiro128p::new(seed);
        let after = |state: &Xoroshiro128p| {
            let mut next = *state;
            next.jump();
            Some(next)
        };
        std::iter::successors(Some(first), after).take(n).collect()
    }
}

#[device]
impl Xoroshiro128p {
    /// Creates the generator of a seed. As in Numba, both halves of the state are the first output of SplitMix64, a
    /// bijection that sends similar seeds to unrelated states. The one seed whose state would be 0, of which all outputs
    /// are 0, gets another state.
    pub fn new(seed: u64) -> Xoroshiro128p {
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        Xoroshiro128p { s0: if z == 0 { 1 } else { z }, s1: z }
    }

    /// Skips 2⁶⁴ outputs, in 128 steps.
    pub fn jump(&mut self) {
        let mut state = *self;
        let (mut s0, mut s1) = (0, 0);
        for word in JUMP {
            for bit in 0..64u32 {
                if word >> bit & 1 == 1 {
                    s0 ^= state.s0;
                    s1 ^= state.s1;
                }
                state.next_u64();
            }
        }
        self.s0 = s0;
        self.s1 = s1;
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let (s0, s1) = (self.s0, self.s1);
        let mixed = s0 ^ s1;
        self.s0 = s0.rotate_left(55) ^ mixed ^ (mixed << 14);
        self.s1 = mixed.rotate_left(36);
        s0.wrapping_add(s1)
    }

    /// Returns 32 random bits: the high half of a 64-bit output.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// Returns a uniformly distributed number in [0, 1), a multiple of 2⁻²⁴. (Numba rounds the `f64` number, and may
    /// return 1.)
    pub fn uniform_f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 * STEP_F32
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

    /// Returns a sample of the normal distribution with mean 0 and variance 1. [`Xoroshiro128p::normal_pair_f32`]
    /// returns two at the same cost.
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

#[cfg(test)]
mod tests {
    use super::Xoroshiro128p;

    /// The outputs of the reference implementation for the state (1, 2).
    #[test]
    fn known_answers() {
        let mut random = Xoroshiro128p { s0: 1, s1: 2 };
        let outputs = [
            0x0000_0000_0000_0003,
            0x0080_0030_0000_c003,
            0x0118_4060_3800_0363,
            0xa080_fe50_30c4_c366,
            0x3ae0_e84f_181c_8404,
            0x0390_2839_1794_0944,
        ];
        assert_eq!([(); 6].map(|()| random.next_u64()), outputs);
        let mut random = Xoroshiro128p { s0: 1, s1: 2 };
        random.jump();
        assert_eq!(random, Xoroshiro128p { s0: 0x8141_46b6_7b28_5f30, s1: 0x7f6f_f236_623b_4e25 });
    }

    /// `create_xoroshiro128p_states(3, 7)`, by the reference implementations of `SplitMix64` and the generator.
    #[test]
    fn states_of_numba() {
        let states = [
            [0x63cb_e1e4_5932_0dd7, 0x63cb_e1e4_5932_0dd7],
            [0x081e_f7a3_b2b2_c321, 0x1089_1eb1_8b0b_a67c],
            [0xdfeb_df22_d327_20eb, 0x18b0_31b2_e4da_dd36],
        ];
        assert_eq!(Xoroshiro128p::states(7, 3), states.map(|[s0, s1]| Xoroshiro128p { s0, s1 }));
        assert_eq!(Xoroshiro128p::states(7, 0), []);
        assert_eq!(Xoroshiro128p::new(0).s0, 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn no_seed_has_the_state_0() {
        let seed = 0x9e37_79b9_7f4a_7c15u64.wrapping_neg();
        assert_eq!(Xoroshiro128p::new(seed), Xoroshiro128p { s0: 1, s1: 0 });
    }

    #[test]
    fn uniform_numbers_have_mean_one_half() {
        let mut random = Xoroshiro128p::new(1);
        let n = 100_000;
        let sum: f64 = (0..n).map(|_| random.uniform_f64()).sum();
        // Five standard errors.
        let n = f64::from(n);
        assert!((sum / n - 0.5).abs() < 5.0 / (12.0 * n).sqrt());
    }
}
