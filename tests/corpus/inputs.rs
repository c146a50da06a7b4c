//! Inputs: the limits of each type, and random numbers from a seed.

use cumbia::Number;

/// A reproducible generator of random numbers: `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1), a multiple of 2⁻²⁴, so that `f32` and `f64` represent it exactly.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / f64::from(1 << 24)
    }

    /// Numbers between −`scale` and `scale`.
    pub(crate) fn floats(&mut self, len: usize, scale: f64) -> Vec<f32> {
        (0..len).map(|_| ((self.unit() * 2.0 - 1.0) * scale) as f32).collect()
    }

    /// Numbers below `end`.
    pub(crate) fn below(&mut self, len: usize, end: u32) -> Vec<u32> {
        (0..len).map(|_| (self.bits() % u64::from(end)) as u32).collect()
    }
}

/// A type with its boundary values.
pub(crate) trait Edges: Number {
    /// The boundary values.
    fn edges() -> Vec<Self>;

    /// Returns a random value.
    fn random(random: &mut Random) -> Self;

    /// A small number, as `as` converts it.
    fn small(number: i64) -> Self;

    /// The boundary values, and `more` random values.
    fn some(more: usize) -> Vec<Self> {
        let mut random = Random::new(7);
        let mut values = Self::edges();
        values.extend((0..more).map(|_| Self::random(&mut random)));
        values
    }

    /// All pairs of boundary values, and `more` random pairs.
    fn pairs(more: usize) -> Vec<(Self, Self)> {
        let edges = Self::edges();
        let mut random = Random::new(11);
        let mut pairs: Vec<_> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
        pairs.extend((0..more).map(|_| (Self::random(&mut random), Self::random(&mut random))));
        pairs
    }
}

macro_rules! signed {
    ($($int:ident)*) => {$(
        impl Edges for $int {
            fn edges() -> Vec<Self> {
                const MIN: $int = $int::MIN;
                const MAX: $int = $int::MAX;
                vec![MIN, MIN + 1, MIN / 2, -100, -7, -2, -1, 0, 1, 2, 7, 100, MAX / 2, MAX / 2 + 1, MAX - 1, MAX]
            }

            fn random(random: &mut Random) -> Self {
                random.bits() as $int
            }

            fn small(number: i64) -> Self {
                number as $int
            }
        }
    )*};
}

macro_rules! unsigned {
    ($($int:ident)*) => {$(
        impl Edges for $int {
            fn edges() -> Vec<Self> {
                const MAX: $int = $int::MAX;
                vec![0, 1, 2, 3, 7, 10, 100, 200, MAX / 2 - 1, MAX / 2, MAX / 2 + 1, MAX - 1, MAX]
            }

            fn random(random: &mut Random) -> Self {
                random.bits() as $int
            }

            fn small(number: i64) -> Self {
                number as $int
            }
        }
    )*};
}

signed!(i8 i16 i32 i64 isize);
unsigned!(u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($float:ident $bits:ident)*) => {$(
        impl Edges for $float {
            fn edges() -> Vec<Self> {
                let least = $float::from_bits(1);
                let positive = [
                    0.0, least, 3.0 * least, $float::MIN_POSITIVE - least, $float::MIN_POSITIVE, 1e-10,
                    $float::EPSILON, 0.1, (0.5 as $float).next_down(), 0.5, (1.0 as $float).next_down(), 1.0, 1.5,
                    2.0, 2.5, 3.0, std::$float::consts::PI, 3.5, 10.0, 100.0, 127.5, 255.9, 1e10,
                    // where integers, and every second, and each type of integer end
                    8_388_607.5, 16_777_217.0, 2_147_483_648.0, 4_294_967_296.0, 9_007_199_254_740_993.0,
                    9_223_372_036_854_775_808.0, 18_446_744_073_709_551_616.0, 1e30, $float::MAX,
                    $float::INFINITY, $float::NAN,
                ];
                positive.into_iter().flat_map(|x: $float| [x, -x]).collect()
            }

            fn random(random: &mut Random) -> Self {
                // Half of them of any magnitude, half of common magnitudes.
                let any = $float::from_bits(random.bits() as $bits);
                match random.bits() % 2 {
                    // glibc's `fmin` returns a quiet NaN for a signalling one, which Rust's `min` ignores.
                    0 => if any.is_nan() { $float::NAN } else { any },
                    _ => ((random.unit() * 2.0 - 1.0) * 100.0) as $float,
                }
            }

            fn small(number: i64) -> Self {
                number as $float / 2.0
            }
        }
    )*};
}

floats!(f32 u32 f64 u64);
