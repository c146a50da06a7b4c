//! Three-dimensional extents and indices.

use std::fmt;

/// An extent or an index in up to three dimensions, like CUDA's `dim3` and `uint3`.
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
    /// The index of the first element.
    pub const ZERO: Dim3 = Dim3 { x: 0, y: 0, z: 0 };

    /// The extent of a single element.
    pub const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

    /// Returns the product of the three components, saturating at `u64::MAX`.
    pub fn count(self) -> u64 {
        (self.x as u64).saturating_mul(self.y as u64).saturating_mul(self.z as u64)
    }

    /// Returns whether a component is 0.
    pub fn is_empty(self) -> bool {
        self.x == 0 || self.y == 0 || self.z == 0
    }

    /// Returns whether no component exceeds that of `limit`.
    pub fn is_within(self, limit: Dim3) -> bool {
        self.x <= limit.x && self.y <= limit.y && self.z <= limit.z
    }

    /// Calls `visit` with each index within this extent, `x` fastest.
    #[allow(clippy::inline_always, reason = "a loop over threads has to inline their body")]
    #[inline(always)]
    pub fn for_each_position(self, mut visit: impl FnMut(Dim3)) {
        for z in 0..self.z {
            for y in 0..self.y {
                for x in 0..self.x {
                    visit(Dim3 { x, y, z });
                }
            }
        }
    }

    /// Returns the index with the linear number `number` within this extent, `x` fastest.
    #[must_use]
    pub fn position(self, number: u64) -> Dim3 {
        let number = number as usize;
        let row = number / self.x;
        Dim3 { x: number % self.x, y: row % self.y, z: row / self.y }
    }

    /// Returns the linear number of an index within this extent, `x` fastest.
    pub fn number(self, position: Dim3) -> usize {
        let Dim3 { x, y, z } = position;
        x + self.x * (y + self.y * z)
    }

    /// Returns the components as an array, `x` first.
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

/// Implements `From` for one, two and three integers of a type.
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

/// Converts a component. A negative extent becomes one that exceeds every limit, so that it is rejected.
fn extent<N: TryInto<usize>>(number: N) -> usize {
    number.try_into().unwrap_or(isize::MAX as usize)
}
