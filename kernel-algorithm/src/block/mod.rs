//! Algorithms of a block: all of its threads call a function together, each with its value or its array of values.
//!
//! The block consists of whole warps, in one to three dimensions. The order of the threads is that of CUDA: `x` varies fastest.
//! Arrays have the blocked arrangement: the values of a thread are adjacent, and follow those of the thread before.

pub(crate) mod exchange;
pub(crate) mod histogram;
pub(crate) mod sort;

use cumbia::DeviceType;
use cumbia::intrinsics::{WARP_SIZE, block_dim, lane_id, shared, shfl_sync, shfl_up_sync, sync_threads, thread_idx};
use cumbia_kernel_macros::device;

use crate::operator::Function2;
use crate::warp::{exclusive_from, inclusive_from, total_of, warp_reduce, warp_reduce_first, warp_scan_first};

/// The maximum number of warps of a block.
pub(crate) const MAX_WARPS: usize = 32;

/// Returns the position of the thread in its block.
#[device]
pub(crate) fn thread_rank() -> usize {
    let (thread, block) = (thread_idx(), block_dim());
    thread.x + block.x * (thread.y + block.y * thread.z)
}

/// Returns the number of threads of the block.
#[device]
pub(crate) fn threads_of_block() -> usize {
    let block = block_dim();
    block.x * block.y * block.z
}

/// Returns the number of warps of the block.
#[device]
pub(crate) fn warps_of_block() -> usize {
    let threads = threads_of_block();
    assert!(threads % WARP_SIZE == 0, "a block of {threads} threads is not a whole number of warps of 32 threads");
    threads / WARP_SIZE
}

/// Returns the reduction of the values of all threads of the block, in all threads.
///
/// All threads of the block must call it, as every function of a block. If one has returned early, the result is unspecified, as
/// it is undefined in CUDA, and no device detects that: a thread without an element takes part with a neutral one.
///
/// ```
/// use cumbia::algorithm::{Plus, block_reduce};
/// use cumbia::prelude::*;
///
/// #[kernel(block = 64)]
/// fn sums(x: &[f32], y: &mut [f32]) {
///     let i = grid(1);
///     let v = if i < x.len() { x[i] } else { 0.0 };
///     let sum = block_reduce(v, Plus);
///     if thread_idx().x == 0 {
///         y[block_idx().x] = sum;
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[0.5; 100])?;
/// let mut y = device.zeros(2)?;
/// sums(&x, &mut y).over(100).launch()?;
/// assert_eq!(y.to_host()?, [32.0, 18.0]);
/// # Ok(())
/// # }
/// ```
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

/// Returns the reduction of the values of all threads of the block, `N` adjacent ones of each, in all threads.
///
/// ```
/// use cumbia::algorithm::{Maximum, block_reduce_array};
/// use cumbia::prelude::*;
///
/// /// The greatest element of each row of 256, by a block of 64 threads.
/// #[kernel(block = 64)]
/// fn greatest(x: &[i32], y: &mut [i32]) {
///     let first = 4 * grid(1);
///     let own = [x[first], x[first + 1], x[first + 2], x[first + 3]];
///     y[block_idx().x] = block_reduce_array(own, Maximum);
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&(0..512).collect::<Vec<i32>>())?;
/// let mut y = device.zeros(2)?;
/// greatest(&x, &mut y).grid(2).launch()?;
/// assert_eq!(y.to_host()?, [255, 511]);
/// # Ok(())
/// # }
/// ```
#[device]
pub fn block_reduce_array<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    operator: F,
) -> T {
    block_reduce(total_of(values, operator), operator)
}

/// Returns the reduction of the values of the first `count` threads of the block, at least one, in all threads.
#[device]
pub(crate) fn block_reduce_first<T: DeviceType, F: Function2<T, T, Output = T>>(
    value: T,
    count: usize,
    operator: F,
) -> T {
    let of_warps_before = thread_rank() / WARP_SIZE * WARP_SIZE;
    let mut part = value;
    if count > of_warps_before {
        part = warp_reduce_first(value, count - of_warps_before, operator);
    }
    reduce_first_warps(part, count.div_ceil(WARP_SIZE).min(warps_of_block()), operator)
}

/// Returns the reduction of the values of the first `count` warps of the block, at least one, in all threads. The value of a warp is
/// that of its first lane. It ends with a barrier, so that it can be called again.
#[device]
pub(crate) fn reduce_first_warps<T: DeviceType, F: Function2<T, T, Output = T>>(
    of_warp: T,
    count: usize,
    operator: F,
) -> T {
    let mut parts = shared::<[T; MAX_WARPS]>();
    if lane_id() == 0 {
        parts[thread_rank() / WARP_SIZE] = of_warp;
    }
    sync_threads();
    let total = warp_reduce_first(parts[lane_id().min(count - 1)], count, operator);
    sync_threads();
    total
}

/// Returns the reduction of the values of the threads of the block up to the own one.
#[device]
pub fn block_inclusive_scan<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    let prefix = block_prefix(value, operator);
    if thread_rank() == 0 { value } else { operator.call(prefix, value) }
}

/// Returns the reduction of `initial` and the values of the threads of the block before the own one; in the first thread,
/// `initial`.
#[device]
pub fn block_exclusive_scan<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, initial: T, operator: F) -> T {
    let prefix = block_prefix(value, operator);
    if thread_rank() == 0 { initial } else { operator.call(initial, prefix) }
}

/// Returns the exclusive prefix of each thread: the reduction of the values of the threads of the block before the own one; in
/// the first thread, any value. It ends with a barrier, so that it can be called again.
#[device]
fn block_prefix<T: DeviceType, F: Function2<T, T, Output = T>>(value: T, operator: F) -> T {
    let (prefix, _) = block_scan_first(value, warps_of_block() * WARP_SIZE, operator);
    sync_threads();
    prefix
}

/// Returns the inclusive scan of the values of all threads of the block, `N` adjacent ones of each: the element `k` of the result
/// is the reduction of the values up to the element `k` of the own ones.
///
/// ```
/// use cumbia::algorithm::{Plus, Transposed, block_inclusive_scan_array, block_load, block_store};
/// use cumbia::prelude::*;
///
/// /// The sums of the elements of each tile of 512.
/// #[kernel(block = 128)]
/// fn sums(x: &[u32], y: &mut [u32]) {
///     let first = 512 * block_idx().x;
///     let own: [u32; 4] = block_load(&x[first..], 0, Transposed);
///     block_store(&mut y[first..], block_inclusive_scan_array(own, Plus), Transposed);
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1; 700])?;
/// let mut y = device.zeros(700)?;
/// sums(&x, &mut y).grid(2).launch()?;
/// assert_eq!(y.slice(510..514)?.to_host()?, [511, 512, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[device]
pub fn block_inclusive_scan_array<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    operator: F,
) -> [T; N] {
    let prefix = block_prefix(total_of(values, operator), operator);
    let first = if thread_rank() == 0 { values[0] } else { operator.call(prefix, values[0]) };
    inclusive_from(values, first, operator)
}

/// Returns the exclusive scan of the values of all threads of the block, `N` adjacent ones of each: the element `k` of the result
/// is the reduction of `initial` and the values before the element `k` of the own ones.
#[device]
pub fn block_exclusive_scan_array<T: DeviceType, const N: usize, F: Function2<T, T, Output = T>>(
    values: [T; N],
    initial: T,
    operator: F,
) -> [T; N] {
    let first = block_exclusive_scan(total_of(values, operator), initial, operator);
    exclusive_from(values, first, operator)
}

/// Returns the reduction of the values of the threads before the own one, in the first `count` threads but the very first one,
/// and any value in the others; and the reduction of the values of all of them, in all threads. A barrier has to follow before
/// the next call, which uses the same shared memory.
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
