//! The launch of a sort for one position of a digit, in one sweep over the keys.
//!
//! A block ranks the keys of a tile by their digit, obtains the number of keys with the same digit in earlier tiles by decoupled
//! look-back, one thread for each digit, and writes the keys through shared memory, so that those with the same digit are written
//! together.

use cumbia::intrinsics::{
    WARP_SIZE, atomic_add, atomic_load, atomic_or, atomic_store, dynamic_shared_at, grid_dim, lanemask_lt, shared,
    sync_threads, sync_warp, thread_idx,
};
use cumbia::{DeviceType, Integer};
use cumbia_kernel_macros::kernel;

use super::{BINS, digit};
use crate::block::block_scan_first;
use crate::key::{ordered, unordered};
use crate::operator::Plus;
use crate::warp::is_gpu;

/// The number of threads of a block that moves keys, which the kernel's attribute repeats.
pub(super) const BLOCK: usize = 384;

/// The statuses of a number of keys of a tile, in its two highest bits: the number of those of the tile alone, or of this and all
/// earlier ones of the launch. Before, the word is 0.
const AGGREGATE: u32 = 1 << 30;
const PREFIX: u32 = 2 << 30;
const STATUS: u32 = 3 << 30;

/// The maximum number of elements that one launch moves, which the other bits represent.
pub(super) const MAX_MOVED: usize = 1 << 30;

/// The largest values in bytes that are written through shared memory. Larger ones occupy whole sectors of 32 bytes anyway.
pub(super) const MAX_EXCHANGED: usize = 16;

/// Moves the keys, and values if there are any, to their positions by the digit at position `pass`, and keeps the order of those
/// with the same digit. `starts` has the position of the first one with each digit, and `next_starts` receives the position after
/// the last one. `states` and `cleared` have a word for each tile and digit. The former is 0; the latter is cleared for the next
/// launch.
#[kernel(block = 384, launch_bounds(384, 2))]
pub fn radix_move<
    K: DeviceType,
    B: Integer,
    V: DeviceType,
    const IS_FLOAT: bool,
    const HAS_VALUES: bool,
    const ITEMS: usize,
>(
    sign: B,
    flip: B,
    pass: usize,
    keys: &[K],
    values: &[V],
    moved_keys: &mut [K],
    moved_values: &mut [V],
    starts: &[usize],
    next_starts: &mut [usize],
    states: &mut [u32],
    cleared: &mut [u32],
    tickets: &mut [u32],
) {
    const WARPS: usize = BLOCK / WARP_SIZE;
    // Of each warp, the number of its keys with each digit; then the rank in the tile of the next one of them.
    let mut ranks = shared::<[u32; WARPS * BINS]>();
    // Of each warp, the lanes with each digit, in one row.
    let mut masks = shared::<[u32; WARPS * BINS]>();
    // The difference between the position of a key with each digit and its rank in the tile, modulo 2⁶⁴.
    let mut moves = shared::<[usize; BINS]>();
    let mut ticket = shared::<usize>();
    let t = thread_idx().x;

    // Tiles are numbered in the order in which blocks begin, so that no block waits for one that has not begun.
    if t == 0 {
        *ticket = atomic_add(&mut tickets[pass], 1) as usize;
    }
    #[unroll]
    for k in 0..WARPS * BINS / BLOCK {
        ranks[k * BLOCK + t] = 0;
        masks[k * BLOCK + t] = 0;
    }
    sync_threads();
    let tile = *ticket;
    if tile >= grid_dim().x || keys.len() == 0 {
        return; // Never: for the proofs only.
    }
    let shift = 8 * pass as u32;
    let first = tile * (BLOCK * ITEMS);
    let count = (keys.len() - first).min(BLOCK * ITEMS);
    let is_full = first + BLOCK * ITEMS <= keys.len();

    // Each warp has consecutive keys, and reads them in rows. The elements beyond the end are greater than all keys, and come
    // last. A GPU has them in all rows, so that loops have no branches.
    let (warp, lane) = (t / WARP_SIZE, t % WARP_SIZE);
    let first_of_warp = warp * (WARP_SIZE * ITEMS);
    let mut rows = ITEMS;
    if !is_gpu() {
        rows = if count > first_of_warp { (count - first_of_warp).div_ceil(WARP_SIZE).min(ITEMS) } else { 0 };
    }
    let at = first + first_of_warp + lane;
    let mut own = [B::MAX; ITEMS];
    if is_full {
        #[unroll]
        for k in 0..ITEMS {
            own[k] = ordered::<K, B, IS_FLOAT>(keys[at + k * WARP_SIZE], sign, flip);
        }
    } else {
        #[unroll]
        for k in 0..ITEMS {
            if at + k * WARP_SIZE < keys.len() {
                own[k] = ordered::<K, B, IS_FLOAT>(keys[at + k * WARP_SIZE], sign, flip);
            }
        }
    }
    // Count first, so that later tiles learn the numbers of this one early.
    #[unroll]
    for k in 0..ITEMS {
        if k < rows {
            atomic_add(&mut ranks[warp * BINS + digit(own[k], shift)], 1);
        }
    }
    sync_threads();

    // Thread t < 256 is responsible for digit t.
    let mut of_warps = [0u32; WARPS];
    let mut of_tile = 0;
    if t < BINS {
        #[unroll]
        for w in 0..WARPS {
            of_warps[w] = of_tile;
            of_tile += ranks[w * BINS + t];
        }
        atomic_store(&mut states[tile * BINS + t], of_tile | if tile == 0 { PREFIX } else { AGGREGATE });
        cleared[tile * BINS + t] = 0;
    }
    let (before, _) = block_scan_first(of_tile, BINS, Plus);
    let lower = if t == 0 { 0 } else { before };
    if t < BINS {
        #[unroll]
        for w in 0..WARPS {
            ranks[w * BINS + t] = lower + of_warps[w];
        }
    }
    sync_threads();

    // The ranks. A warp owns its row of counters.
    let mut exchange = dynamic_shared_at::<B>(0, BLOCK * ITEMS);
    // Two in a word, of which the array has more than there are: a register each would not be left.
    let mut ranks_of_two = [0u32; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        if k < rows {
            let counter = warp * BINS + digit(own[k], shift);
            // The lanes with this digit. That is faster than a match, and than a vote on each bit.
            atomic_or(&mut masks[counter], 1 << lane as u32);
            sync_warp(u32::MAX);
            let lanes = masks[counter];
            let next = ranks[counter];
            let before = lanes & lanemask_lt();
            let rank = next + before.count_ones();
            if HAS_VALUES {
                ranks_of_two[k / 2] |= rank << (k as u32 % 2 * 16);
            }
            sync_warp(u32::MAX);
            if before == 0 {
                masks[counter] = 0;
                ranks[counter] = next + lanes.count_ones();
            }
            sync_warp(u32::MAX);
            exchange[(rank as usize).min(BLOCK * ITEMS - 1)] = own[k];
        }
    }

    // The keys with this digit in earlier tiles.
    if t < BINS {
        let mut earlier = tile;
        let mut in_earlier = 0;
        while earlier > 0 {
            let found = atomic_load(&states[(earlier - 1) * BINS + t]);
            if found != 0 {
                in_earlier += found & !STATUS;
                earlier = if found & STATUS == PREFIX { 0 } else { earlier - 1 };
            }
        }
        if tile > 0 {
            atomic_store(&mut states[tile * BINS + t], in_earlier + of_tile | PREFIX);
        }
        let start = starts[pass * BINS + t] + in_earlier as usize;
        if tile == grid_dim().x - 1 {
            next_starts[pass * BINS + t] = start + of_tile as usize;
        }
        moves[t] = start.wrapping_sub(lower as usize);
    }
    sync_threads();

    // Four in a word.
    let mut digits = [0u32; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        let r = k * BLOCK + t;
        if is_full || r < count {
            let bits = exchange[r];
            let d = digit(bits, shift);
            if HAS_VALUES {
                digits[k / 4] |= (d as u32) << (k as u32 % 4 * 8);
            }
            let i = moves[d].wrapping_add(r);
            if i < moved_keys.len() {
                moved_keys[i] = unordered::<K, B, IS_FLOAT>(bits, sign, flip, keys[0]);
            }
        }
    }
    if HAS_VALUES {
        if const { size_of::<V>() <= MAX_EXCHANGED } {
            let mut exchange = dynamic_shared_at::<V>(0, BLOCK * ITEMS);
            let mut own = [values[0]; ITEMS];
            #[unroll]
            for k in 0..ITEMS {
                if k < rows {
                    own[k] = values[(at + k * WARP_SIZE).min(values.len() - 1)];
                }
            }
            sync_threads();
            #[unroll]
            for k in 0..ITEMS {
                if k < rows {
                    let rank = ranks_of_two[k / 2] >> (k as u32 % 2 * 16) & 0xffff;
                    exchange[(rank as usize).min(BLOCK * ITEMS - 1)] = own[k];
                }
            }
            sync_threads();
            #[unroll]
            for k in 0..ITEMS {
                let r = k * BLOCK + t;
                if is_full || r < count {
                    let d = digits[k / 4] >> (k as u32 % 4 * 8) & 255;
                    let i = moves[d as usize].wrapping_add(r);
                    if i < moved_values.len() {
                        moved_values[i] = exchange[r];
                    }
                }
            }
        } else {
            #[unroll]
            for k in 0..ITEMS {
                let from = at + k * WARP_SIZE;
                let rank = ranks_of_two[k / 2] >> (k as u32 % 2 * 16) & 0xffff;
                let i = moves[digit(own[k], shift)].wrapping_add(rank as usize);
                if from < values.len() && i < moved_values.len() {
                    moved_values[i] = values[from];
                }
            }
        }
    }
}
