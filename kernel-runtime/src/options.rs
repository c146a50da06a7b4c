//! The options of `#[kernel(..)]`.

/// The options of `#[kernel(..)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "the options are independent switches")]
pub struct Options {
    /// Whether indices are checked: `unchecked` is absent.
    pub bounds_checks: bool,
    /// Whether `a * b + c` may be contracted to a fused multiply-add, as in CUDA C.
    pub fmad: bool,
    /// `fast_math`: approximate division, roots and elementary functions, and flush subnormal numbers to zero.
    pub fast_math: bool,
    /// `max_registers = n`: the maximum number of registers of a thread.
    pub max_registers: Option<u32>,
    /// `launch_bounds(threads, min_blocks)`: the maximum number of threads of a block, and the minimum number of
    /// resident blocks of a multiprocessor.
    pub launch_bounds: Option<(u32, Option<u32>)>,
    /// `block = (x, y, z)`: the only block dimensions that the kernel is launched with.
    pub block: Option<[u32; 3]>,
    /// `index = u32`: `usize` has 32 bits on a GPU.
    pub index32: bool,
    /// `prove`: a launch whose checks are not all proved is rejected.
    pub prove: bool,
    /// `coarsen = n`: the number of logical threads that a CUDA thread executes; 1 for `coarsen = false`. `None` if each
    /// launch decides.
    pub coarsen: Option<u32>,
}

impl Options {
    /// Returns the maximum number of threads of a block and the minimum number of resident blocks that the attribute guarantees
    /// to the compiler. A fixed block is also a bound.
    pub(crate) fn bounds(&self) -> Option<(u32, Option<u32>)> {
        self.launch_bounds.or_else(|| self.block.map(|[x, y, z]| (x * y * z, None)))
    }

    /// Returns the maximum number of threads of a block that the attribute guarantees to the compiler.
    pub(crate) fn max_threads(&self) -> Option<u32> {
        self.bounds().map(|(threads, _)| threads)
    }
}

/// Returns the extents of `block = (X, Y, Z)` from constants, in a constant of the kernel.
///
/// # Panics
///
/// At compile time, if CUDA has no blocks of this size, or `launch_bounds` excludes it.
#[must_use]
pub const fn block_extents(extents: [usize; 3], max_threads: u32) -> [u32; 3] {
    let [x, y, z] = extents;
    assert!(
        1 <= x && x <= 1024 && 1 <= y && y <= 1024 && 1 <= z && z <= 64,
        "`block` takes 1 to 1024 threads along x and y, and 1 to 64 along z"
    );
    assert!(x * y * z <= 1024, "`block` takes at most 1024 threads");
    assert!(x * y * z <= max_threads as usize, "the block has more threads than `launch_bounds` allows");
    [x as u32, y as u32, z as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_constants_are_within_the_limits() {
        assert_eq!(block_extents([32, 32, 1], 1024), [32, 32, 1]);
        assert_eq!(block_extents([1, 1, 64], 64), [1, 1, 64]);
        for (extents, max_threads) in [([0, 1, 1], 1024), ([1, 1, 65], 1024), ([33, 32, 1], 1024), ([65, 1, 1], 64)] {
            assert!(std::panic::catch_unwind(|| block_extents(extents, max_threads)).is_err(), "{extents:?}");
        }
    }
}
