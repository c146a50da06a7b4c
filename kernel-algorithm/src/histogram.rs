//! Histograms with counters in shared memory, of which each block has several copies against conflicts of equal elements.

use std::ops::Range;

use cumbia::intrinsics::{AtomicAdd, WARP_SIZE, atomic_add, block_idx, dynamic_shared, sync_threads, thread_idx};
use cumbia::{
    AlgorithmError, ArrayView1, Device, DeviceSliceMut, DeviceType, Float, Integer, Number, Recorder, Result, Stream,
};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::adjacent::{adjacent, is_contiguous, load_adjacent};
use crate::arrays::{Input, Output};
use crate::operator::Function1;
use crate::queue::{Queue, Steps};
use crate::residency::resident_blocks;

/// The number of threads of a block, which the kernel's attribute repeats.
const BLOCK: usize = 256;

/// The minimum number of elements of a block.
const CHUNK: usize = 16 * BLOCK;

/// The maximum number of blocks on the CPU device.
const MAX_CPU_BLOCKS: usize = 1024;

/// The maximum number of copies of the counters of a block: one for each lane, whose counters are then in a bank of their own. They
/// occupy at most so many bytes; a single copy may occupy more. A block has at
/// least 8 elements for each counter, unless there is one copy.
const MAX_COPIES: usize = WARP_SIZE;
const COPIES_BYTES: usize = 33 << 10;
const MAX_BYTES: usize = 48 << 10;

/// The number itself: the bin of a [`histogram`] of small integers.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct OwnBin;

#[device]
impl<T: Integer> Function1<T> for OwnBin {
    type Output = usize;

    fn call(self, a: T) -> usize {
        usize::cast(a)
    }
}

/// The bins of a [`histogram`] that divide a range of floats evenly. Numbers outside of the range, and NaNs, are in none.
///
/// A number `a` is in bin `((a - lower) * (bins / (upper - lower))) as usize`, computed in its type; rounding can move
/// numbers next to the edge of a bin to the adjacent one. `upper` itself is in the last bin, as in `NumPy`.
#[derive(Clone, Copy, Debug, DeviceType)]
pub struct EvenBins<T: DeviceType> {
    lower: T,
    upper: T,
    scale: T,
    bins: usize,
}

impl<T: Float> EvenBins<T> {
    /// Returns `bins` bins that divide this range.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Bins`] if the range is empty or not finite, there is no bin, or bins per unit are not a finite
    /// number of the type.
    pub fn new(range: Range<T>, bins: usize) -> Result<Self> {
        let Range { start: lower, end: upper } = range;
        let scale = T::cast(bins) / (upper - lower);
        let bins_of = EvenBins { lower, upper, scale, bins };
        let (lower, upper, scale) = (f64::cast(lower), f64::cast(upper), f64::cast(scale));
        if bins > 0 && lower < upper && scale > 0.0 && scale.is_finite() {
            Ok(bins_of)
        } else {
            Err(AlgorithmError::Bins { lower, upper, bins }.into())
        }
    }
}

#[device]
impl<T: Float> Function1<T> for EvenBins<T> {
    type Output = usize;

    fn call(self, a: T) -> usize {
        if a == self.upper {
            self.bins - 1
        } else if a >= self.lower && a < self.upper {
            usize::cast((a - self.lower) * self.scale).min(self.bins - 1)
        } else {
            usize::MAX
        }
    }
}

/// Adds the number of elements in each bin to `bins`. There are `copies` counters for each bin in shared memory, and for the
/// elements in none; 0 if they do not fit. A block has `len` elements, a multiple of 4096, of which each thread loads `N` adjacent
/// ones together.
#[kernel(block = 256)]
pub fn count_bins<T: DeviceType, F: Function1<T, Output = usize>, C: Number + AtomicAdd, const N: usize>(
    bin: F,
    len: usize,
    copies: usize,
    x: ArrayView1<T>,
    bins: &mut [C],
) {
    let mut counters = dynamic_shared::<u32>();
    let t = thread_idx().x;
    let first = block_idx().x * len;
    let end = (first + len).min(x.len());
    if first >= end {
        return; // Never: for the proofs only.
    }
    if copies == 0 || counters.len() == 0 {
        for i in (first + t..end).step_by(BLOCK) {
            let b = bin.call(x[i]);
            if b < bins.len() {
                atomic_add(&mut bins[b], C::ONE);
            }
        }
        return;
    }
    for k in (t..counters.len()).step_by(BLOCK) {
        counters[k] = 0;
    }
    sync_threads();
    let copy = t % copies;
    // The elements after those that are loaded together.
    let rest = if is_contiguous(x) && len % CHUNK == 0 { end - (end - first) % (BLOCK * N) } else { first };
    #[unroll(4)]
    for i in (first + t * N..rest).step_by(BLOCK * N) {
        let elements: [T; N] = load_adjacent::<T, N, true>(x, i);
        #[unroll]
        for k in 0..N {
            atomic_add(&mut counters[bin.call(elements[k]).min(bins.len()) * copies + copy], 1);
        }
    }
    #[unroll(8)]
    for i in (rest + t..end).step_by(BLOCK) {
        atomic_add(&mut counters[bin.call(x[i]).min(bins.len()) * copies + copy], 1);
    }
    sync_threads();
    for b in (t..bins.len()).step_by(BLOCK) {
        let mut found = 0;
        for k in 0..copies {
            // Each thread begins with another copy, since all copies of a number are in the same bank.
            let counter = b * copies + (t + k) % copies;
            if counter < counters.len() {
                found += counters[counter];
            }
        }
        if found > 0 {
            atomic_add(&mut bins[b], C::cast(found));
        }
    }
}

/// Returns the number of blocks that are resident at once, with as many copies of counters of so many bytes as there can be. More
/// blocks would be executed after them, in the end by less than all multiprocessors.
fn blocks_at_once(device: &Device, bytes: usize) -> usize {
    if device.is_cpu() {
        return MAX_CPU_BLOCKS;
    }
    resident_blocks(device, BLOCK, bytes * copies(bytes, MAX_COPIES)) * device.limits().multiprocessors
}

/// Returns the number of copies of counters of so many bytes, a power of two, at most `limit` but at least 1; 0 if not even one fits.
fn copies(bytes: usize, limit: usize) -> usize {
    if bytes > MAX_BYTES {
        return 0;
    }
    1 << (COPIES_BYTES / bytes).min(limit).clamp(1, MAX_COPIES).ilog2()
}

/// Counts the elements in each bin. `bin` returns the index of the bin of an element; an element with an index that is
/// out of bounds is not counted. Counts wrap at the range of their type, and counts of type `f32` are exact up to 2²⁴.
/// [`OwnBin`] is the bin of small integers, and [`EvenBins`] are those of floats.
///
/// ```
/// use cumbia::algorithm::{EvenBins, OwnBin, histogram};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let mut counts = device.zeros::<u32>(256)?;
/// histogram(&device.to_device(&[7u8, 3, 7, 255])?, &mut counts, OwnBin).launch()?;
/// assert_eq!(counts.slice(..8)?.to_host()?, [0, 0, 0, 1, 0, 0, 0, 2]);
/// let (x, mut counts) = (device.to_device(&[0.1, 0.2, 0.9, 1.0, -3.0])?, device.zeros::<u64>(4)?);
/// histogram(&x, &mut counts, EvenBins::new(0.0..1.0, 4)?).launch()?;
/// assert_eq!(counts.to_host()?, [2, 0, 0, 2]);
/// # Ok(())
/// # }
/// ```
pub fn histogram<'a, T: DeviceType, F: Function1<T, Output = usize>, C: Number + AtomicAdd>(
    x: &'a (impl Input<Element = T> + ?Sized),
    counts: &'a mut (impl Output<Element = C> + ?Sized),
    bin: F,
) -> Histogram<'a, T, F, C> {
    Histogram { x: x.elements(), counts: counts.elements_mut(), bin, stream: None, enqueue: Histogram::steps }
}

/// A histogram: [`histogram`].
#[must_use = "a histogram does nothing until it is launched: `.launch()?`"]
pub struct Histogram<'a, T, F, C> {
    x: ArrayView1<'a, T>,
    counts: DeviceSliceMut<'a, C>,
    bin: F,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, T: DeviceType, F, C> Histogram<'a, T, F, C> {
    /// Enqueues the histogram on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the histogram. It overwrites the counts, and can be launched again.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the histogram as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

impl<T: DeviceType, F: Function1<T, Output = usize>, C: Number + AtomicAdd> Histogram<'_, T, F, C> {
    /// Enqueues the histogram.
    fn steps(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let (len, bins) = (self.x.len(), self.counts.len());
        queue.fill(&mut self.counts, C::ZERO)?;
        if len == 0 || bins == 0 {
            return Ok(());
        }
        // With the counter of the elements in no bin.
        let bytes = (bins + 1) * size_of::<u32>();
        let chunk = len.div_ceil(blocks_at_once(self.x.device(), bytes)).next_multiple_of(CHUNK);
        let copies = copies(bytes, chunk / (8 * (bins + 1)));
        // Conditions that are constants, so that the kernel is compiled for one number of elements.
        if const { adjacent(size_of::<T>()) == 16 } {
            self.count::<16>(chunk, copies, queue)
        } else if const { adjacent(size_of::<T>()) == 4 } {
            self.count::<4>(chunk, copies, queue)
        } else if const { adjacent(size_of::<T>()) == 2 } {
            self.count::<2>(chunk, copies, queue)
        } else {
            self.count::<1>(chunk, copies, queue)
        }
    }

    /// Enqueues the counting of chunks of so many elements, `N` adjacent ones of a thread at once.
    fn count<const N: usize>(&mut self, chunk: usize, copies: usize, queue: &mut Queue<'_, '_>) -> Result<()> {
        let (len, bins) = (self.x.len(), self.counts.len());
        queue.launch(
            count_bins::<T, F, C, N>(self.bin, chunk, copies, self.x, &mut self.counts)
                .grid(len.div_ceil(chunk))
                .shared_bytes(copies * (bins + 1) * size_of::<u32>()),
        )
    }
}
