//! The block that `.over(..)` picks: as many threads as fill a multiprocessor, in the form of the items.
//!
//! Nothing here asks a device: what it can hold is given.

use crate::dim::Dim3;

/// Threads of a block where nothing decides otherwise: enough warps to hide latency, few enough that several blocks share a
/// multiprocessor, so that one begins while another ends.
pub(crate) const USUAL: u32 = 256;

/// The fewest threads of a block that is made small to have more of them. Below two warps a multiprocessor's four
/// schedulers have too little to choose from.
const FEWEST: u32 = 64;

/// The blocks that are considered, the best first of those that fill a multiprocessor nearly alike: another is picked only
/// where it holds an eighth more threads.
const CANDIDATES: [u32; 6] = [USUAL, 128, 512, 64, 1024, 32];

/// The threads of a block of which a multiprocessor runs about the most threads at once. `most` is the most in a block;
/// `resident` says how many blocks of so many threads a multiprocessor holds.
pub(crate) fn fullest<E>(most: u32, mut resident: impl FnMut(u32) -> Result<u32, E>) -> Result<u32, E> {
    let mut best = (0, usual(most));
    for threads in CANDIDATES.into_iter().filter(|threads| *threads <= most) {
        let together = resident(threads)? * threads;
        if 8 * together >= 9 * best.0 && together > best.0 {
            best = (together, threads);
        }
    }
    Ok(best.1)
}

/// The threads of a block where nothing is known of the device.
pub(crate) fn usual(most: u32) -> u32 {
    // A power of two, so that it can be given the form of the items.
    1 << most.clamp(1, USUAL).ilog2()
}

/// Fewer threads than `threads` where there are so few items that some of the multiprocessors would have no block.
pub(crate) fn spread(threads: u32, items: u64, multiprocessors: usize) -> u32 {
    let each = items.div_ceil(multiprocessors.max(1) as u64).max(1);
    if each >= u64::from(threads) {
        return threads;
    }
    (1 << each.ilog2()).clamp(FEWEST.min(threads), threads)
}

/// A block of `threads`, a power of two, for `items`: a row of a warp's length, since neighbours in `x` are neighbours in
/// memory, then as many rows as there are. It is no longer than `limit` in `y` and `z`; 1024 in `x` are always allowed.
pub(crate) fn block(threads: u32, items: Dim3, limit: Dim3) -> Dim3 {
    const WARP: usize = 32;
    let mut left = threads as usize;
    // The part of what is left that so many items take.
    let mut take = |items: usize, limit: usize| {
        let taken = left.min(limit).min(items.checked_next_power_of_two().unwrap_or(usize::MAX));
        left /= taken.max(1);
        taken.max(1)
    };
    let x = take(items.x, WARP);
    let y = take(items.y, limit.y);
    let z = take(items.z, limit.z);
    // What neither rows nor planes need makes the rows longer: also where there are no items for it, so that a block is
    // always whole warps.
    Dim3 { x: x * left, y, z }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Dim3 = Dim3 { x: 1024, y: 1024, z: 64 };

    #[track_caller]
    fn check(threads: u32, items: impl Into<Dim3>, expected: impl Into<Dim3>) {
        assert_eq!(block(threads, items.into(), LIMIT), expected.into());
    }

    #[test]
    fn a_block_has_the_form_of_the_items() {
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
        check(256, (usize::MAX, usize::MAX), (32, 8));
        check(8, (1000, 1000), 8);
        check(1, (5, 5, 5), 1);
    }

    #[test]
    fn a_block_is_whole_warps() {
        for threads in [32, 64, 128, 256, 512, 1024] {
            for items in [(1, 1, 1), (9, 1, 5), (33, 16, 1), (5, 4, 3), (1, 70, 70), (1, 1, 100)] {
                let block = block(threads, items.into(), LIMIT);
                assert_eq!(block.count(), u64::from(threads), "{items:?}");
                assert!(block.x <= LIMIT.x && block.y <= LIMIT.y && block.z <= LIMIT.z, "{block}");
            }
        }
    }

    #[test]
    fn the_fullest_block_is_picked() {
        let resident = |most: u32, registers: u32| {
            move |threads: u32| {
                let per_block = registers * threads;
                Ok::<u32, ()>(if threads > most { 0 } else { (65_536 / per_block).min(2048 / threads).min(32) })
            }
        };
        // Nothing decides.
        assert_eq!(fullest(1024, resident(1024, 16)), Ok(256));
        assert_eq!(fullest(1024, resident(1024, 32)), Ok(256));
        // 3 blocks of 256 threads or 7 of 128.
        assert_eq!(fullest(1024, resident(1024, 72)), Ok(128));
        // 5 blocks of 256 threads, or 21 of 64: not worth it.
        assert_eq!(fullest(1024, resident(1024, 48)), Ok(256));
        // One block of 256 or two of 128 are the same.
        assert_eq!(fullest(256, resident(256, 255)), Ok(256));
        // Launch bounds.
        assert_eq!(fullest(128, resident(128, 32)), Ok(128));
        assert_eq!(fullest(96, resident(96, 32)), Ok(64));
        assert_eq!(fullest(8, resident(8, 32)), Ok(8));
        // One block, whatever its size: shared memory decides.
        assert_eq!(fullest(1024, |_| Ok::<u32, ()>(1)), Ok(1024));
        // Not a single one: the launch will say why.
        assert_eq!(fullest(1024, |_| Ok::<u32, ()>(0)), Ok(256));
        assert_eq!(fullest(1024, |_| Err("refused")), Err("refused"));
    }

    #[test]
    fn few_items_are_spread() {
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
