//! Extents and positions in three dimensions.

use std::fmt;

/// An extent or a position in up to three dimensions, as CUDA's `dim3` and `threadIdx`.
///
/// As an extent, dimensions that are not given are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The fastest-varying dimension.
    pub x: usize,
    /// The second dimension.
    pub y: usize,
    /// The third dimension.
    pub z: usize,
}

impl Dim3 {
    /// The first position.
    pub const ZERO: Dim3 = Dim3 { x: 0, y: 0, z: 0 };

    /// One in each dimension.
    pub const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

    /// The product of the three, or `u64::MAX` where it is more.
    pub fn count(self) -> u64 {
        (self.x as u64).saturating_mul(self.y as u64).saturating_mul(self.z as u64)
    }

    /// Whether one of the three is 0.
    pub(crate) fn is_empty(self) -> bool {
        self.x == 0 || self.y == 0 || self.z == 0
    }

    /// Whether none of the three is above that of `limit`.
    pub(crate) fn is_within(self, limit: Dim3) -> bool {
        self.x <= limit.x && self.y <= limit.y && self.z <= limit.z
    }

    /// Calls `visit` with each position inside this extent, `x` fastest.
    #[allow(clippy::inline_always, reason = "a loop over threads has to see the body that it runs")]
    #[inline(always)]
    pub(crate) fn for_each_position(self, mut visit: impl FnMut(Dim3)) {
        for z in 0..self.z {
            for y in 0..self.y {
                for x in 0..self.x {
                    visit(Dim3 { x, y, z });
                }
            }
        }
    }

    /// Position number `number` inside this extent, `x` fastest.
    pub(crate) fn position(self, number: u64) -> Dim3 {
        let number = number as usize;
        let row = number / self.x;
        Dim3 { x: number % self.x, y: row % self.y, z: row / self.y }
    }

    /// The number of a position inside this extent, `x` fastest.
    pub(crate) fn number(self, position: Dim3) -> usize {
        let Dim3 { x, y, z } = position;
        x + self.x * (y + self.y * z)
    }

    /// The three as an array, `x` first.
    pub fn to_array(self) -> [usize; 3] {
        [self.x, self.y, self.z]
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dim3 { x, y, z } = self;
        write!(f, "({x}, {y}, {z})")
    }
}

/// Implements `From` for one, two and three numbers of a type.
macro_rules! from_numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Dim3 {
            fn from(x: $number) -> Dim3 {
                Dim3 { x: extent(x), y: 1, z: 1 }
            }
        }

        impl From<($number, $number)> for Dim3 {
            fn from((x, y): ($number, $number)) -> Dim3 {
                Dim3 { x: extent(x), y: extent(y), z: 1 }
            }
        }

        impl From<($number, $number, $number)> for Dim3 {
            fn from((x, y, z): ($number, $number, $number)) -> Dim3 {
                Dim3 { x: extent(x), y: extent(y), z: extent(z) }
            }
        }
    )*};
}

from_numbers!(u32, u64, usize, i32, i64);

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Dim3 {
        Dim3::from((x, y, z))
    }
}

/// A negative extent is 0, which a launch refuses with the rest of what it was asked for.
fn extent<N: TryInto<usize>>(number: N) -> usize {
    number.try_into().unwrap_or(0)
}
