//! The block size that `.over(..)` picks, in the shape of the items: 256 threads, or 128 if each executes several items,
//! unless another size has noticeably higher occupancy or there are few items.
//!
//! Nothing here queries a device: limits and occupancy are parameters.

use crate::dim::Dim3;

/// The default number of threads of a block: enough warps to hide latency, few enough that several blocks are resident on a
/// multiprocessor, so that one starts while another finishes.
pub(crate) const DEFAULT_THREADS: u32 = 256;

/// The minimum to which [`spread`] reduces the number of threads of a block. With fewer than two warps per block, the four warp
/// schedulers of a multiprocessor have too few eligible warps.
const MIN_THREADS: u32 = 64;

/// The candidate block sizes, in order of preference at nearly equal occupancy: a later one is picked only if it makes at least
/// an eighth more threads resident.
const CANDIDATES: [u32; 6] = [DEFAULT_THREADS, 128, 512, 64, 1024, 32];

/// Those for a block whose threads execute several items each. Smaller blocks start and end in less uneven waves: GELU of 10⁷
/// elements took 0.97 times as long as with 256 on an H200, a vector addition 0.99 times.
const COARSENED_CANDIDATES: [u32; 6] = [128, DEFAULT_THREADS, 512, 64, 1024, 32];

/// Returns the block size, in threads, with about the highest occupancy. `max_threads` is the maximum number of threads of a
/// block; `is_coarsened`, whether a thread executes several items; `resident` returns the number of resident blocks per
/// multiprocessor for a block size.
pub(crate) fn max_occupancy_threads<E>(
    max_threads: u32,
    is_coarsened: bool,
    mut resident: impl FnMut(u32) -> Result<u32, E>,
) -> Result<u32, E> {
    let mut best = (0, default_threads(max_threads));
    let candidates = if is_coarsened { COARSENED_CANDIDATES } else { CANDIDATES };
    for threads in candidates.into_iter().filter(|threads| *threads <= max_threads) {
        let resident_threads = resident(threads)? * threads;
        if 8 * resident_threads >= 9 * best.0 && resident_threads > best.0 {
            best = (resident_threads, threads);
        }
    }
    Ok(best.1)
}

/// Returns the block size, in threads, for a device whose occupancy is unknown.
pub(crate) fn default_threads(max_threads: u32) -> u32 {
    // A power of two, so that `block_dims` can split it over the dimensions.
    1 << max_threads.clamp(1, DEFAULT_THREADS).ilog2()
}

/// Reduces the block size `threads` if there are so few items that some multiprocessors would get no block.
pub(crate) fn spread(threads: u32, items: u64, multiprocessors: usize) -> u32 {
    let per_multiprocessor = items.div_ceil(multiprocessors.max(1) as u64).max(1);
    if per_multiprocessor >= u64::from(threads) {
        return threads;
    }
    (1 << per_multiprocessor.ilog2()).clamp(MIN_THREADS.min(threads), threads)
}

/// Returns the dimensions of a block of `threads`, a power of two, for `items`: a warp in `x`, since consecutive `x` are
/// consecutive in memory and their accesses are coalesced, then as many rows and planes as the items have. Extents in `y` and
/// `z` are bounded by `limits.block`; 1024 in `x` is always valid. They are larger, and that in `x` smaller, if the grid would
/// exceed `limits.grid` in `y` or `z`, where CUDA allows 65,535 blocks; there are more threads, at most `limits.threads`, if
/// that is not enough.
pub(crate) fn block_dims(threads: u32, items: Dim3, limits: Extents) -> Dim3 {
    const WARP: usize = 32;
    let needed = |items: usize, blocks: usize, threads: usize| {
        items.div_ceil(blocks.max(1)).checked_next_power_of_two().unwrap_or(usize::MAX).min(threads)
    };
    let needed = needed(items.y, limits.grid.y, limits.block.y) * needed(items.z, limits.grid.z, limits.block.z);
    let most = 1 << limits.threads.max(1).ilog2();
    let mut remaining = (threads as usize).max(needed.min(most));
    // Assigns as many of the remaining threads as a dimension with `items` items needs.
    let mut take = |items: usize, limit: usize| {
        let taken = remaining.min(limit).min(items.checked_next_power_of_two().unwrap_or(usize::MAX));
        remaining /= taken.max(1);
        taken.max(1)
    };
    // What the other threads are divided into.
    let least_z = take(items.z.div_ceil(limits.grid.z.max(1)), limits.block.z);
    let least_y = take(items.y.div_ceil(limits.grid.y.max(1)), limits.block.y);
    let x = take(items.x, WARP);
    let y = least_y * take(items.y.div_ceil(least_y), limits.block.y / least_y);
    let z = least_z * take(items.z.div_ceil(least_z), limits.block.z / least_z);
    // Threads that neither rows nor planes need extend `x`, even beyond the items, so that a block always consists of whole
    // warps.
    Dim3 { x: x * remaining, y, z }
}

/// The maximum extents of a device's blocks and grids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extents {
    /// The maximum number of threads of a block.
    pub(crate) threads: usize,
    pub(crate) block: Dim3,
    pub(crate) grid: Dim3,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Extents = Extents {
        threads: 1024,
        block: Dim3 { x: 1024, y: 1024, z: 64 },
        grid: Dim3 { x: 0x7fff_ffff, y: 0xffff, z: 0xffff },
    };

    #[track_caller]
    fn check(threads: u32, items: impl Into<Dim3>, expected: impl Into<Dim3>) {
        assert_eq!(block_dims(threads, items.into(), LIMITS), expected.into());
    }

    #[test]
    fn block_dims_follow_the_shape_of_the_items() {
        check(256, 1, 256);
        check(256, 1_000_000, 256);
        check(1024, 1_000_000, 1024);
        check(256, (1000, 1000), (32, 8));
        check(64, (1000, 1000), (32, 2));
        check(256, (3, 1000), (4, 64));
        check(256, (1000, 3), (64, 4));
        check(256, (100, 100, 100), (32, 8));
        check(256, (4, 4, 1000), (4, 4, 16));
        check(1024, (1, 1, 1000), (16, 1, 64));
        check(256, (usize::MAX, 1000), (32, 8));
        check(8, (1000, 1000), 8);
        check(1, (5, 5, 5), 1);
    }

    /// The grid has at most 65,535 blocks in `y` and `z`: a taller block covers more items.
    #[test]
    fn blocks_are_as_tall_as_the_grid_requires() {
        check(128, (16, 1 << 19), (8, 16));
        check(256, (1000, 8 * 0xffff), (32, 8));
        check(256, (1000, 8 * 0xffff + 1), (16, 16));
        check(256, (1000, 1 << 23), (1, 256));
        check(256, (1000, 100, 2 * 0xffff), (32, 4, 2));
        check(256, (1000, 1 << 18, 1 << 18), (4, 8, 8));
        // More threads, if that many do not suffice.
        check(128, (16, 1 << 23), (1, 256));
        check(32, (1000, 0xffff * 512 + 1), (1, 1024));
        assert_eq!(block_dims(64, (16, 1 << 23).into(), Extents { threads: 100, ..LIMITS }), (1, 64).into());
        // No block suffices: the error of the launch states the limit.
        check(256, (1000, usize::MAX), (1, 1024));
        for (y, z) in
            [(1usize, 1usize), (1 << 18, 1), (1, 1 << 20), (1 << 20, 3), (0xf_ffff, 0x4_0000), (0x10_000, 0x10_000)]
        {
            let block = block_dims(256, (50, y, z).into(), LIMITS);
            assert!(y.div_ceil(block.y) <= LIMITS.grid.y && z.div_ceil(block.z) <= LIMITS.grid.z, "{y} {z} {block}");
            assert_eq!(block.count(), 256);
        }
    }

    #[test]
    fn a_block_consists_of_whole_warps() {
        for threads in [32, 64, 128, 256, 512, 1024] {
            for items in [(1, 1, 1), (9, 1, 5), (33, 16, 1), (5, 4, 3), (1, 70, 70), (1, 1, 100)] {
                let block = block_dims(threads, items.into(), LIMITS);
                assert_eq!(block.count(), u64::from(threads), "{items:?}");
                let limit = LIMITS.block;
                assert!(block.x <= limit.x && block.y <= limit.y && block.z <= limit.z, "{block}");
            }
        }
    }

    #[test]
    fn the_block_with_the_highest_occupancy_is_picked() {
        let resident = |most: u32, registers: u32| {
            move |threads: u32| {
                let per_block = registers * threads;
                Ok::<u32, ()>(if threads > most { 0 } else { (65_536 / per_block).min(2048 / threads).min(32) })
            }
        };
        // Registers do not limit occupancy.
        assert_eq!(max_occupancy_threads(1024, false, resident(1024, 16)), Ok(256));
        assert_eq!(max_occupancy_threads(1024, false, resident(1024, 32)), Ok(256));
        // 3 blocks of 256 threads or 7 of 128.
        assert_eq!(max_occupancy_threads(1024, false, resident(1024, 72)), Ok(128));
        // 5 blocks of 256 threads or 21 of 64: less than an eighth more.
        assert_eq!(max_occupancy_threads(1024, false, resident(1024, 48)), Ok(256));
        // One block of 256 threads and two of 128 have the same occupancy.
        assert_eq!(max_occupancy_threads(256, false, resident(256, 255)), Ok(256));
        // Launch bounds.
        assert_eq!(max_occupancy_threads(128, false, resident(128, 32)), Ok(128));
        assert_eq!(max_occupancy_threads(96, false, resident(96, 32)), Ok(64));
        assert_eq!(max_occupancy_threads(8, false, resident(8, 32)), Ok(8));
        // Shared memory limits a multiprocessor to one block of any size.
        assert_eq!(max_occupancy_threads(1024, false, |_| Ok::<u32, ()>(1)), Ok(1024));
        // Threads that execute several items.
        assert_eq!(max_occupancy_threads(1024, true, resident(1024, 32)), Ok(128));
        assert_eq!(max_occupancy_threads(64, true, resident(64, 32)), Ok(64));
        // No block fits: validation of the launch reports the reason.
        assert_eq!(max_occupancy_threads(1024, false, |_| Ok::<u32, ()>(0)), Ok(256));
        assert_eq!(max_occupancy_threads(1024, false, |_| Err("rejected")), Err("rejected"));
    }

    #[test]
    fn few_items_get_smaller_blocks() {
        assert_eq!(spread(256, 1_000_000, 132), 256);
        assert_eq!(spread(256, 132 * 256, 132), 256);
        assert_eq!(spread(256, 132 * 255, 132), 128);
        assert_eq!(spread(256, 10_000, 132), 64);
        assert_eq!(spread(256, 1, 132), 64);
        assert_eq!(spread(32, 1, 132), 32);
        assert_eq!(spread(256, u64::MAX, 1), 256);
        assert_eq!(spread(256, 5, 0), 64);
    }
}
