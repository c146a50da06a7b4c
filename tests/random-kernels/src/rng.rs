//! The random number generator. Its sequence never changes, so that a seed identifies a kernel.

/// The generator `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    /// Returns the generator of kernel `number` of a seed, which is independent of the other kernels.
    pub(crate) fn of_kernel(seed: u64, number: u64) -> Self {
        let mut random = Random(seed);
        Random(random.bits() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// Returns a number from `low` to `high`, both inclusive.
    pub(crate) fn within(&mut self, low: i128, high: i128) -> i128 {
        let bits = u128::from(self.bits()) << 64 | u128::from(self.bits());
        low + (bits % ((high - low) as u128 + 1)) as i128
    }

    /// Returns true with this probability in 1/1000.
    pub(crate) fn permille(&mut self, chance: u32) -> bool {
        self.below(1000) < chance as usize
    }

    /// Returns true with this probability in percent.
    pub(crate) fn percent(&mut self, chance: u32) -> bool {
        self.permille(10 * chance)
    }

    /// Returns one element of a slice, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Returns one of several choices, with probabilities proportional to their weights.
    pub(crate) fn weighted<T: Copy>(&mut self, of: &[(u32, T)]) -> T {
        let total: u32 = of.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total as usize) as u32;
        for &(weight, choice) in of {
            if at < weight {
                return choice;
            }
            at -= weight;
        }
        unreachable!("`at` is below the sum of the weights")
    }
}
