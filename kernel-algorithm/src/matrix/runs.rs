//! Reductions of runs of consecutive elements, a warp or a block for each: of the rows of a matrix, and of segments of an array.
//!
//! The parentheses of a reduction depend on the number of elements and of threads alone.

use cumbia::error::{ArrayArgument, RequiredLength};
use cumbia::intrinsics::{WARP_SIZE, block_idx, lane_id, shared, sync_threads, sync_threads_or, thread_idx};
use cumbia::{ArrayView1, DeviceSliceMut, DeviceType, Integer, Recorder, Result, Stream};
use cumbia_kernel_macros::{device, kernel};

use crate::arrays::{Input, Output, require};
use crate::block::block_reduce_first;
use crate::operator::{Function2, Identity};
use crate::queue::{Queue, Steps};
use crate::reduce::chunks::{Mapping, OfOne, SEVERAL_AT_ONCE, assert_reducible};
use crate::warp::{warp_reduce, warp_reduce_first};

/// The number of threads of a block, which the kernels' attributes repeat.
pub(super) const BLOCK: usize = 256;

/// The number of warps of a block.
pub(super) const WARPS: usize = BLOCK / WARP_SIZE;

/// The number of elements that a thread loads at once.
const BATCH: usize = 8;

/// The maximum length of runs of which each is reduced by a warp: 32 elements for each lane.
pub(super) const MAX_BY_WARPS: usize = 32 * WARP_SIZE;

/// Returns the reduction of the results for the elements from `start` to before `stop`, of which there are some, in all lanes of a
/// warp. The operands keep their order. The warp takes rows of 4 elements for each lane as long as there are so many and the results
/// are not large.
#[device]
fn reduce_in_order<A: DeviceType, T: DeviceType, M: Mapping<A, u8, Output = T>, F: Function2<T, T, Output = T>>(
    map: M,
    operator: F,
    x: ArrayView1<'_, A>,
    start: usize,
    stop: usize,
) -> T {
    const ROW: usize = 4 * WARP_SIZE;
    let (lane, count) = (lane_id(), stop - start);
    let first = (start + lane).min(stop - 1);
    let mut total = warp_reduce_first(map.apply(x[first], 0, first), count, operator);
    let rest = start + WARP_SIZE;
    let mut rows = 0;
    if const { size_of::<T>() <= SEVERAL_AT_ONCE } {
        rows = if count > WARP_SIZE { (count - WARP_SIZE) / ROW } else { 0 };
        #[unroll(4)]
        for k in 0..rows {
            let i = rest + k * ROW + 4 * lane;
            let mut part = map.apply(x[i], 0, i);
            part = operator.call(part, map.apply(x[i + 1], 0, i + 1));
            part = operator.call(part, map.apply(x[i + 2], 0, i + 2));
            part = operator.call(part, map.apply(x[i + 3], 0, i + 3));
            total = operator.call(total, warp_reduce(part, operator));
        }
    }
    for i in (rest + rows * ROW..stop).step_by(WARP_SIZE) {
        let own = (i + lane).min(stop - 1);
        let part = warp_reduce_first(map.apply(x[own], 0, own), stop - i, operator);
        total = operator.call(total, part);
    }
    total
}

/// Returns the reduction of every `THREADS`th result for the elements from `start + rank` to before `stop`, for one of `THREADS`
/// threads. The operands can be exchanged. The loads of a batch are issued before its first element is needed, unless the results
/// are large.
#[device]
fn reduce_strided<
    A: DeviceType,
    T: DeviceType,
    M: Mapping<A, u8, Output = T>,
    F: Function2<T, T, Output = T>,
    const THREADS: usize,
>(
    map: M,
    operator: F,
    x: ArrayView1<'_, A>,
    start: usize,
    stop: usize,
    rank: usize,
) -> T {
    let first = (start + rank).min(stop - 1);
    let mut total = map.apply(x[first], 0, first);
    if const { size_of::<T>() > SEVERAL_AT_ONCE } {
        for i in (start + rank + THREADS..stop).step_by(THREADS) {
            total = operator.call(total, map.apply(x[i], 0, i));
        }
        return total;
    }
    let batches = (stop - start) / (BATCH * THREADS);
    let whole = start + batches * (BATCH * THREADS);
    for batch in 0..batches {
        let from = start + batch * (BATCH * THREADS) + rank;
        let mut own = [x[from]; BATCH];
        #[unroll]
        for k in 1..BATCH {
            own[k] = x[from + k * THREADS];
        }
        #[unroll]
        for k in 0..BATCH {
            let next = map.apply(own[k], 0, from + k * THREADS);
            total = if k == 0 && batch == 0 { next } else { operator.call(total, next) };
        }
    }
    if whole < stop {
        let mut own = [x[(whole + rank).min(stop - 1)]; BATCH];
        #[unroll]
        for k in 1..BATCH {
            own[k] = x[(whole + k * THREADS + rank).min(stop - 1)];
        }
        #[unroll]
        for k in 0..BATCH {
            let i = whole + k * THREADS + rank;
            if i < stop {
                let next = map.apply(own[k], 0, i);
                total = if k == 0 && whole == start { next } else { operator.call(total, next) };
            }
        }
    }
    total
}

/// Returns that of the results for every `THREADS`th element from `start + rank` to before `stop`, which the operator selects, for one
/// of `THREADS` threads, as [`reduce_strided`] does. The index of a selected element is computed once for a batch.
#[device]
fn select_strided<A: DeviceType, T: DeviceType, M: Mapping<A, u8, Output = T>, const THREADS: usize>(
    map: M,
    x: ArrayView1<'_, A>,
    start: usize,
    stop: usize,
    rank: usize,
) -> T {
    let mut index = (start + rank).min(stop - 1);
    let mut best = x[index];
    for from in (start + rank..stop).step_by(BATCH * THREADS) {
        let mut own = [x[from]; BATCH];
        #[unroll]
        for k in 1..BATCH {
            own[k] = x[(from + k * THREADS).min(stop - 1)];
        }
        let mut selected = BATCH;
        #[unroll]
        for k in 0..BATCH {
            if from + k * THREADS < stop && map.selects(best, own[k]) {
                best = own[k];
                selected = k;
            }
        }
        if selected < BATCH {
            index = from + selected * THREADS;
        }
    }
    map.apply(best, 0, index)
}

/// Returns the reduction of the results for the elements from `start` to before `stop`, of which there are some, in all of
/// `THREADS` threads: those of a warp or of a block.
#[device]
pub(super) fn reduce_run<
    A: DeviceType,
    T: DeviceType,
    M: Mapping<A, u8, Output = T>,
    F: Function2<T, T, Output = T>,
    const THREADS: usize,
>(
    map: M,
    operator: F,
    x: ArrayView1<'_, A>,
    start: usize,
    stop: usize,
) -> T {
    let mut parts = shared::<[T; WARPS]>();
    let (rank, count) = (thread_idx().x % THREADS, stop - start);
    if F::COMMUTATIVE {
        let total = if M::SELECTS {
            select_strided::<A, T, M, THREADS>(map, x, start, stop, rank)
        } else {
            reduce_strided::<A, T, M, F, THREADS>(map, operator, x, start, stop, rank)
        };
        if THREADS == WARP_SIZE {
            warp_reduce_first(total, count, operator)
        } else {
            block_reduce_first(total, count, operator)
        }
    } else if THREADS == WARP_SIZE {
        reduce_in_order(map, operator, x, start, stop)
    } else {
        // Each warp has consecutive elements.
        let of_warp = count.div_ceil(WARPS);
        let first = start + rank / WARP_SIZE * of_warp;
        if first < stop {
            let part = reduce_in_order(map, operator, x, first, (first + of_warp).min(stop));
            if lane_id() == 0 {
                parts[rank / WARP_SIZE] = part;
            }
        }
        sync_threads();
        let mut total = parts[0];
        for k in 1..WARPS {
            if start + k * of_warp < stop {
                total = operator.call(total, parts[k]);
            }
        }
        // The next call writes the parts.
        sync_threads();
        total
    }
}

/// Stores the reduction of `initial` and each segment of `x` in `y`. A block has `PER_BLOCK` segments: a warp reduces
/// each of those that are short, and then the block each of the others.
#[kernel(block = 256)]
pub fn reduce_each_segment<T: DeviceType, I: Integer, F: Function2<T, T, Output = T>, const PER_BLOCK: usize>(
    operator: F,
    initial: T,
    x: ArrayView1<T>,
    offsets: ArrayView1<I>,
    y: &mut [T],
) {
    let (warp, len) = (thread_idx().x / WARP_SIZE, x.len());
    let segment = block_idx().x * PER_BLOCK + warp;
    let mut is_long = false;
    if warp < PER_BLOCK && segment < y.len() {
        let (from, to) = (offsets[segment], offsets[segment + 1]);
        let (start, stop) = (usize::cast(from), usize::cast(to));
        assert!(
            start <= stop && stop <= len,
            "segmented_reduce: segment {segment} is {from}..{to}, but the length of x is {len}"
        );
        is_long = stop - start > MAX_BY_WARPS;
        if !is_long {
            let mut total = initial;
            if start < stop {
                total = operator.call(
                    initial,
                    reduce_run::<T, T, OfOne<Identity>, F, WARP_SIZE>(OfOne(Identity), operator, x, start, stop),
                );
            }
            if lane_id() == 0 {
                y[segment] = total;
            }
        }
    }
    if sync_threads_or(is_long) {
        // The conditions are the same in all threads.
        #[unroll(1)]
        for k in 0..PER_BLOCK {
            let segment = block_idx().x * PER_BLOCK + k;
            if segment < y.len() {
                let (start, stop) = (usize::cast(offsets[segment]), usize::cast(offsets[segment + 1]));
                if start <= stop && stop <= len && stop - start > MAX_BY_WARPS {
                    let total =
                        reduce_run::<T, T, OfOne<Identity>, F, BLOCK>(OfOne(Identity), operator, x, start, stop);
                    if thread_idx().x == 0 {
                        y[segment] = operator.call(initial, total);
                    }
                }
            }
        }
    }
}

/// Reduces segments of an array: `y[s]` is the reduction of `initial` and the elements `x[offsets[s]..offsets[s + 1]]`,
/// in their order.
///
/// There is an offset more than segments. Segments may be empty. An offset that is less than the one before or exceeds
/// the length of the array is a fault. Values have at most 1024 bytes: a larger type does not compile.
///
/// The operator has to be associative. The parentheses depend on the length of the segment alone: a warp reduces a
/// segment of up to 1024 elements, and a block a longer one. For one segment that has most of the elements,
/// [`reduce`](crate::reduce()) is faster.
///
/// ```
/// use cumbia::algorithm::{Maximum, segmented_reduce};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3, 1, 4, 1, 5])?;
/// let offsets = device.to_device(&[0u32, 2, 2, 5])?;
/// let mut greatest = device.zeros(3)?;
/// segmented_reduce(&x, &offsets, &mut greatest, 0, Maximum).launch()?;
/// assert_eq!(greatest.to_host()?, [3, 0, 5]);
/// # Ok(())
/// # }
/// ```
pub fn segmented_reduce<'a, T: DeviceType, I: Integer, F: Function2<T, T, Output = T>>(
    x: &'a (impl Input<Element = T> + ?Sized),
    offsets: &'a (impl Input<Element = I> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
    initial: T,
    operator: F,
) -> SegmentedReduce<'a, T, I, F> {
    const { assert_reducible::<T>() };
    SegmentedReduce {
        x: x.elements(),
        offsets: offsets.elements(),
        y: y.elements_mut(),
        initial,
        operator,
        stream: None,
        enqueue: SegmentedReduce::steps,
    }
}

/// A reduction of segments: [`segmented_reduce`].
#[must_use = "a reduction of segments does nothing until it is launched: `.launch()?`"]
pub struct SegmentedReduce<'a, T, I, F> {
    x: ArrayView1<'a, T>,
    offsets: ArrayView1<'a, I>,
    y: DeviceSliceMut<'a, T>,
    initial: T,
    operator: F,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, T: DeviceType, I, F> SegmentedReduce<'a, T, I, F> {
    /// Enqueues the reductions on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the reductions. They can be launched again.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if there is not one offset more than results, and those of
    /// [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the reduction as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

impl<T: DeviceType, I: Integer, F: Function2<T, T, Output = T>> SegmentedReduce<'_, T, I, F> {
    /// Enqueues the reduction.
    fn steps(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let segments = self.y.len();
        let (offsets, y) = (ArrayArgument::input("offsets", self.offsets.len()), ArrayArgument::output("y", segments));
        require(offsets.len == segments + 1, "segmented_reduce", offsets, RequiredLength::OneMoreThan(y))?;
        if segments == 0 {
            return Ok(());
        }
        let (operator, initial, x, offsets, y) = (self.operator, self.initial, self.x, self.offsets, &mut self.y);
        if x.len() / segments <= MAX_BY_WARPS {
            let launch = reduce_each_segment::<T, I, F, WARPS>(operator, initial, x, offsets, y);
            queue.launch(launch.grid(segments.div_ceil(WARPS)))
        } else {
            let launch = reduce_each_segment::<T, I, F, 1>(operator, initial, x, offsets, y);
            queue.launch(launch.grid(segments))
        }
    }
}
