//! The first launch of a sort: counts of the keys with each digit at each position, and their exclusive scans.

use cumbia::intrinsics::{
    AcqRel, DeviceScope, atomic_add, atomic_add_explicit, atomic_load, block_idx, grid_dim, shared, sync_threads,
    thread_idx,
};
use cumbia::{DeviceType, Integer};
use cumbia_kernel_macros::kernel;

use super::{BINS, MAX_PASSES, digit};
use crate::block::block_scan_first;
use crate::key::ordered;
use crate::operator::Plus;

/// The number of threads of a block that counts digits: one for each value of a digit. The kernel's attribute repeats it.
const BLOCK: usize = BINS;

/// The maximum number of blocks that count digits, and the minimum number of keys of each.
const MAX_BLOCKS: usize = 2048;
const CHUNK: usize = 4096;

/// Returns the number of keys that each block counts, of so many keys.
pub(super) fn chunk_len(keys: usize) -> usize {
    keys.div_ceil(MAX_BLOCKS).next_multiple_of(CHUNK)
}

/// Counts the digits of chunks of `len` keys in `counts`, and stores the number of keys with a lower digit in `starts`, 256
/// numbers for each position. `counts` and `tickets`, of which the last counts the blocks that have finished, are 0 before and
/// afterwards.
#[kernel(block = 256)]
pub fn radix_count<K: DeviceType, B: Integer, const IS_FLOAT: bool>(
    sign: B,
    flip: B,
    len: usize,
    keys: &[K],
    counts: &mut [usize],
    starts: &mut [usize],
    tickets: &mut [u32],
) {
    let mut bins = shared::<[u32; MAX_PASSES * BINS]>();
    let mut is_last = shared::<bool>();
    let passes = const { size_of::<K>() };
    let t = thread_idx().x;
    let first = block_idx().x * len;
    let end = (first + len).min(keys.len());
    #[unroll]
    for pass in 0..passes {
        bins[pass * BINS + t] = 0;
    }
    sync_threads();
    #[unroll(8)]
    for i in (first + t..end).step_by(BLOCK) {
        let bits = ordered::<K, B, IS_FLOAT>(keys[i], sign, flip);
        #[unroll]
        for pass in 0..passes {
            atomic_add(&mut bins[pass * BINS + digit(bits, 8 * pass as u32)], 1);
        }
    }
    sync_threads();
    #[unroll]
    for pass in 0..passes {
        let found = bins[pass * BINS + t];
        if found > 0 {
            atomic_add(&mut counts[pass * BINS + t], found as usize);
        }
    }
    sync_threads();
    if t == 0 {
        let before = atomic_add_explicit::<AcqRel, DeviceScope>(&mut tickets[MAX_PASSES], 1);
        *is_last = before as usize + 1 == grid_dim().x;
    }
    sync_threads();
    if *is_last {
        #[unroll(1)]
        for pass in 0..passes {
            let found = atomic_load(&counts[pass * BINS + t]);
            let (before, _) = block_scan_first(found, BINS, Plus);
            sync_threads();
            starts[pass * BINS + t] = if t == 0 { 0 } else { before };
            counts[pass * BINS + t] = 0;
        }
        if t <= MAX_PASSES {
            tickets[t] = 0;
        }
    }
}
