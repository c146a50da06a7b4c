//! Random numbers: the same from a seed everywhere and for ever, so that a seed names a kernel.

/// `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    /// The numbers that belong to kernel `number` of a seed, whatever other kernels there are.
    pub(crate) fn of_kernel(seed: u64, number: u64) -> Self {
        let mut random = Random(seed);
        Random(random.bits() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A number from `low` to `high`.
    pub(crate) fn within(&mut self, low: i128, high: i128) -> i128 {
        let bits = u128::from(self.bits()) << 64 | u128::from(self.bits());
        low + (bits % ((high - low) as u128 + 1)) as i128
    }

    /// True so many times of 1000.
    pub(crate) fn permille(&mut self, chance: u32) -> bool {
        self.below(1000) < chance as usize
    }

    /// True so many times of 100.
    pub(crate) fn percent(&mut self, chance: u32) -> bool {
        self.permille(10 * chance)
    }

    /// One of several, which are not none.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// One of several, each as often as its weight says.
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
