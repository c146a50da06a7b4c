//! Stable radix sort of the keys of a block, by digits of 6 bits from the least significant one.
//!
//! In each pass, a warp counts its keys with each digit while it ranks them among themselves, a scan of the counts of all warps
//! turns them into positions, and the keys are moved through shared memory. With 64 values of a digit and 32 threads of a warp,
//! each thread of a block of any size scans two counts.

use cumbia::intrinsics::{
    WARP_SIZE, ballot_sync, lane_id, lanemask_lt, match_any_sync, shared, sync_threads, sync_warp,
};
use cumbia::{DeviceType, Integer};
use cumbia_kernel_macros::{DeviceType, device};

use super::exchange::{Arrangement, Blocked, moved};
use super::{MAX_WARPS, block_scan_first, thread_rank, threads_of_block, warps_of_block};
use crate::key::{SortKey, bits_of, key_of};
use crate::operator::Plus;
use crate::warp::is_gpu;

/// The number of bits of a digit, and of its values.
const DIGIT: u32 = 6;
const BINS: usize = 1 << DIGIT;

/// The distance between the counts of two warps. It is odd, so that the counts of a digit are in different banks.
const ROW: usize = BINS + 1;

/// The direction of a [`block_sort`](block_sort()): [`Ascending`] or [`Descending`].
#[device]
pub trait Direction: DeviceType {
    /// Whether the greatest key is the first one.
    const IS_DESCENDING: bool;
}

/// From the least key to the greatest.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Ascending;

/// From the greatest key to the least. Equal keys keep their order.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Descending;

#[device]
impl Direction for Ascending {
    const IS_DESCENDING: bool = false;
}

#[device]
impl Direction for Descending {
    const IS_DESCENDING: bool = true;
}

/// Sorts the keys of all threads of the block, `N` adjacent ones of each. The result has the blocked arrangement as well. Floats
/// are ordered as by `total_cmp`.
///
/// To sort fewer keys, let the others be the last ones of the order.
///
/// ```
/// use cumbia::algorithm::{Ascending, Transposed, block_load, block_sort, block_store};
/// use cumbia::prelude::*;
///
/// /// Sorts each tile of 512 elements.
/// #[kernel(block = 128)]
/// fn sort_tiles(x: &mut [u32]) {
///     let first = 512 * block_idx().x;
///     let own: [u32; 4] = block_load(&x[first..], u32::MAX, Transposed);
///     block_store(&mut x[first..], block_sort(own, Ascending), Transposed);
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&(0..700).rev().collect::<Vec<u32>>())?;
/// sort_tiles(&mut x).grid(2).launch()?;
/// let expected = (188..700).chain(0..188);
/// assert_eq!(x.to_host()?, expected.collect::<Vec<u32>>());
/// # Ok(())
/// # }
/// ```
#[device]
pub fn block_sort<K: SortKey, const N: usize, D: Direction>(keys: [K; N], direction: D) -> [K; N] {
    let (sorted, _) = sorted_pairs::<_, _, N, false, _>(keys, [0u8; N], direction);
    sorted
}

/// Sorts the keys of all threads of the block, `N` adjacent ones of each, and moves the values with their keys. Values with equal
/// keys keep their order. The results have the blocked arrangement as well.
#[device]
pub fn block_sort_by_key<K: SortKey, V: DeviceType, const N: usize, D: Direction>(
    keys: [K; N],
    values: [V; N],
    direction: D,
) -> ([K; N], [V; N]) {
    sorted_pairs::<_, _, N, true, _>(keys, values, direction)
}

#[device]
fn sorted_pairs<K: SortKey, V: DeviceType, const N: usize, const HAS_VALUES: bool, D: Direction>(
    keys: [K; N],
    values: [V; N],
    _direction: D,
) -> ([K; N], [V; N]) {
    let (t, threads) = (thread_rank(), threads_of_block());
    let (mut bits, mut values) = ([K::Bits::ZERO; N], values);
    let (mut blocked, mut rows) = ([0u32; N], [0u32; N]);
    #[unroll]
    for k in 0..N {
        bits[k] = bits_of(keys[k], D::IS_DESCENDING);
        blocked[k] = Blocked.position(t, threads, k, N) as u32;
        rows[k] = position_in_rows(t, k, N);
    }
    if N > 1 {
        bits = moved(bits, blocked, rows);
        if HAS_VALUES {
            values = moved(values, blocked, rows);
        }
    }
    (bits, values) = sorted_rows::<_, _, N, HAS_VALUES>(bits, values, blocked);
    let mut sorted = keys;
    #[unroll]
    for k in 0..N {
        sorted[k] = key_of(bits[k], D::IS_DESCENDING, keys[k]);
    }
    (sorted, values)
}

/// Returns the position in the tile of an element of a thread, the `k`th one of `n`, in the arrangement of [`sorted_rows`].
#[device]
fn position_in_rows(thread: usize, k: usize, n: usize) -> u32 {
    (thread / WARP_SIZE * (WARP_SIZE * n) + k * WARP_SIZE + thread % WARP_SIZE) as u32
}

/// Sorts unsigned integers, with values if there are any. Each warp has consecutive elements, in rows. The results are those at
/// the positions `to` of the tile.
#[device]
fn sorted_rows<B: Integer, V: DeviceType, const N: usize, const HAS_VALUES: bool>(
    bits: [B; N],
    values: [V; N],
    to: [u32; N],
) -> ([B; N], [V; N]) {
    let (mut bits, mut values) = (bits, values);
    let width = const { 8 * size_of::<B>() as u32 };
    let t = thread_rank();
    #[unroll(1)]
    for shift in (0..width).step_by(DIGIT as usize) {
        let ranks = ranks_of(bits, shift);
        let mut next = to;
        if shift + DIGIT < width {
            #[unroll]
            for k in 0..N {
                next[k] = position_in_rows(t, k, N);
            }
        }
        bits = moved(bits, ranks, next);
        if HAS_VALUES {
            values = moved(values, ranks, next);
        }
    }
    (bits, values)
}

/// Returns the digit at a bit.
#[device]
fn digit<B: Integer>(bits: B, shift: u32) -> u32 {
    u32::cast(bits >> shift) & (BINS as u32 - 1)
}

/// Returns the lanes with the same digit.
#[device]
fn lanes_with(digit: u32) -> u32 {
    if is_gpu() {
        // Votes are independent of each other, while a match takes a step for each value that occurs.
        let mut lanes = u32::MAX;
        #[unroll]
        for bit in 0..DIGIT {
            let is_one = digit >> bit & 1 != 0;
            let ones = ballot_sync(u32::MAX, is_one);
            lanes &= if is_one { ones } else { !ones };
        }
        lanes
    } else {
        match_any_sync(u32::MAX, digit)
    }
}

/// Returns the position of each element in the order of this digit. A barrier has to follow before the next call.
#[device]
fn ranks_of<B: Integer, const N: usize>(bits: [B; N], shift: u32) -> [u32; N] {
    // Of each warp, the number of its elements with each digit; then the position of the first one of them.
    let mut counts = shared::<[u32; MAX_WARPS * ROW]>();
    let (t, lane) = (thread_rank(), lane_id());
    let warps = warps_of_block();
    let row = t / WARP_SIZE * ROW;
    counts[row + lane] = 0;
    counts[row + WARP_SIZE + lane] = 0;
    sync_warp(u32::MAX);
    let mut ranks = [0u32; N];
    #[unroll]
    for k in 0..N {
        let lanes = lanes_with(digit(bits[k], shift));
        let count = row + digit(bits[k], shift) as usize;
        let before = lanes & lanemask_lt();
        let earlier = counts[count];
        ranks[k] = earlier + before.count_ones();
        sync_warp(u32::MAX);
        if before == 0 {
            counts[count] = earlier + lanes.count_ones();
        }
        sync_warp(u32::MAX);
    }
    sync_threads();
    // The counts in the order of their digits, and of the warps for each.
    let first = 2 * t / warps + 2 * t % warps * ROW;
    let second = (2 * t + 1) / warps + (2 * t + 1) % warps * ROW;
    let (of_first, of_second) = (counts[first], counts[second]);
    let (before, _) = block_scan_first(of_first + of_second, threads_of_block(), Plus);
    let start = if t == 0 { 0 } else { before };
    counts[first] = start;
    counts[second] = start + of_first;
    sync_threads();
    #[unroll]
    for k in 0..N {
        ranks[k] += counts[row + digit(bits[k], shift) as usize];
    }
    ranks
}
