//! Algorithms of a block: all of its threads call a function together, each with its value.
//!
//! The block consists of whole warps, in one to three dimensions. The order of the threads is that of CUDA: `x` varies fastest.

use cumbia::DeviceType;
use cumbia::intrinsics::{WARP_SIZE, block_dim, lane_id, shared, shfl_sync, shfl_up_sync, sync_threads, thread_idx};
use cumbia_kernel_macros::device;

use crate::operator::Function2;
use crate::warp::{warp_reduce, warp_reduce_first, warp_scan_first};

/// The maximum number of warps of a block.
const MAX_WARPS: usize = 32;

/// Returns the position of the thread in its block.
#[device]
pub(crate) fn thread_rank() -> usize {
    let (thread, block) = (thread_idx(), block_dim());
    thread.x + block.x * (thread.y + block.y * thread.z)
}

/// Returns the number of warps of the block.
#[device]
fn warps_of_block() -> usize {
    let block = block_dim();
    let threads = block.x * block.y * block.z;
    assert!(threads % WARP_SIZE == 0, "a block of {threads} threads is not a whole number of warps of 32 threads");
    threads / WARP_SIZE
}

/// Returns the reduction of the values of all threads of the block, in all threads.
#[device]
pub fn block_reduce<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    let mut parts = shared::<[T; MAX_WARPS]>();
    let warps = warps_of_block();
    let part = warp_reduce(value, operator);
    if lane_id() == 0 {
        parts[thread_rank() / WARP_SIZE] = part;
    }
    sync_threads();
    let total = warp_reduce_first(parts[lane_id().min(warps - 1)], warps, operator);
    // The next call writes the parts.
    sync_threads();
    total
}

/// Returns the reduction of the values of the first `count` threads of the block, at least one, in all threads.
#[device]
pub(crate) fn block_reduce_first<T: DeviceType, F: Function2<T, T, Output = T>>(
    value: T,
    count: usize,
    operator: F,
) -> T {
    let mut parts = shared::<[T; MAX_WARPS]>();
    let warp = thread_rank() / WARP_SIZE;
    if count > warp * WARP_SIZE {
        let part = warp_reduce_first(value, count - warp * WARP_SIZE, operator);
        if lane_id() == 0 {
            parts[warp] = part;
        }
    }
    sync_threads();
    let warps = count.div_ceil(WARP_SIZE).min(warps_of_block());
    let total = warp_reduce_first(parts[lane_id().min(warps - 1)], warps, operator);
    sync_threads();
    total
}

/// Returns the reduction of the values of the threads of the block up to the own one.
#[device]
pub fn block_inclusive_scan<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    let (before, _) = block_scan_first(value, warps_of_block() * WARP_SIZE, operator);
    sync_threads();
    if thread_rank() == 0 { value } else { operator.call(before, value) }
}

/// Returns the reduction of `initial` and the values of the threads of the block before the own one; in the first thread,
/// `initial`.
#[device]
pub fn block_exclusive_scan<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, initial: T, operator: F) -> T {
    let (before, _) = block_scan_first(value, warps_of_block() * WARP_SIZE, operator);
    sync_threads();
    if thread_rank() == 0 { initial } else { operator.call(initial, before) }
}

/// Returns the reduction of the values of the threads before the own one, in the first `count` threads but the very first one,
/// and any value in the others; and the reduction of the values of all of them, in all threads. A barrier has to follow before the
/// next call, which uses the same shared memory.
#[device]
pub(crate) fn block_scan_first<T: DeviceType, F: Function2<T, T, Output = T>>(
    value: T,
    count: usize,
    operator: F,
) -> (T, T) {
    let mut parts = shared::<[T; MAX_WARPS]>();
    let (warp, lane) = (thread_rank() / WARP_SIZE, lane_id());
    let first = warp * WARP_SIZE;
    let lanes = if count > first { (count - first).min(WARP_SIZE) } else { 0 };
    let through = warp_scan_first(value, lanes, operator);
    if lane + 1 == lanes {
        parts[warp] = through;
    }
    sync_threads();
    let warps = count.div_ceil(WARP_SIZE).min(warps_of_block());
    let sums = warp_scan_first(parts[lane.min(warps - 1)], warps, operator);
    let total = shfl_sync(u32::MAX, sums, warps - 1);
    let before_warp = shfl_sync(u32::MAX, sums, (warp + WARP_SIZE - 1) % WARP_SIZE);
    let mut before = shfl_up_sync(u32::MAX, through, 1);
    if lane == 0 {
        before = before_warp;
    } else if warp > 0 && lane < lanes {
        before = operator.call(before_warp, before);
    }
    (before, total)
}
