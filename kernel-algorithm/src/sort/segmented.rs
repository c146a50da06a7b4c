//! Sort of each segment of an array: two stable sorts of all elements, by their keys and then by the numbers of their segments.

use cumbia::error::{ArrayArgument, RequiredLength};
use cumbia::intrinsics::grid;
use cumbia::{ArrayView1, DeviceArray, DeviceSliceMut, DeviceType, Integer, Recorder, Result, Stream};
use cumbia_kernel_macros::kernel;

use super::memory::SortMemory;
use super::radix::{Sort, sort_by_key};
use crate::arrays::{Input, Output, require};
use crate::key::SortKey;
use crate::queue::{Held, Queue, StepsIn, suffices};

/// Stores for each index the number of offsets that do not exceed it: the number of its segment plus 1, or 0 before the first
/// one.
#[kernel]
pub fn number_segments<I: Integer>(offsets: ArrayView1<I>, numbers: &mut [u32]) {
    let i = grid(1);
    if i < numbers.len() {
        let mut low = 0;
        let mut high = offsets.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if usize::cast(offsets[middle]) <= i {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        numbers[i] = low as u32;
    }
    // After the store, without which the number would not be initialised.
    if i < offsets.len() {
        let (offset, len) = (offsets[i], numbers.len());
        assert!(
            usize::cast(offset) <= len,
            "segmented_sort: offsets[{i}] is {offset}, but the length of keys is {len}"
        );
        if i > 0 {
            let start = offsets[i - 1];
            assert!(
                usize::cast(start) <= usize::cast(offset),
                "segmented_sort: segment {} is {start}..{offset}",
                i - 1
            );
        }
    }
}

/// Copies the elements that are in a segment.
#[kernel]
pub fn store_segments<K: DeviceType, I: Integer>(offsets: ArrayView1<I>, sorted: &[K], keys: &mut [K]) {
    let i = grid(1);
    let (first, end) = (usize::cast(offsets[0]), usize::cast(offsets[offsets.len() - 1]));
    if i < keys.len() && i >= first && i < end {
        keys[i] = sorted[i];
    }
}

/// Sorts the keys of each segment in place: `keys[offsets[s]..offsets[s + 1]]`, from the least to the greatest. There is an
/// offset more than segments. Segments may be empty, and elements that are in none keep their places. An offset that is less than
/// the one before or exceeds the number of keys is a fault, after which the keys are unspecified.
///
/// Floats are ordered as by `total_cmp`. The time depends on the number of keys and only by a logarithm on that of segments: all
/// are sorted at once, whatever their lengths.
///
/// ```
/// use cumbia::algorithm::segmented_sort;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let mut x = device.to_device(&[3, 1, 4, 1, 5, 9, 2])?;
/// let offsets = device.to_device(&[0u32, 3, 3, 7])?;
/// segmented_sort(&mut x, &offsets).launch()?;
/// assert_eq!(x.to_host()?, [1, 3, 4, 1, 2, 5, 9]);
/// segmented_sort(&mut x, &offsets).descending().launch()?;
/// assert_eq!(x.to_host()?, [4, 3, 1, 9, 5, 2, 1]);
/// # Ok(())
/// # }
/// ```
pub fn segmented_sort<'a, K: SortKey, I: Integer>(
    keys: &'a mut (impl Output<Element = K> + ?Sized),
    offsets: &'a (impl Input<Element = I> + ?Sized),
) -> SegmentedSort<'a, K, I> {
    SegmentedSort {
        keys: keys.elements_mut(),
        offsets: offsets.elements(),
        is_descending: false,
        stream: None,
        enqueue: SegmentedSort::steps,
    }
}

/// A sort of segments: [`segmented_sort`].
#[must_use = "a sort does nothing until it is launched: `.launch()?`"]
pub struct SegmentedSort<'a, K, I> {
    keys: DeviceSliceMut<'a, K>,
    offsets: ArrayView1<'a, I>,
    is_descending: bool,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, SegmentedSortMemory<K>>,
}

impl<'a, K: DeviceType, I: DeviceType> SegmentedSort<'a, K, I> {
    /// Sorts from the greatest key to the least.
    pub fn descending(mut self) -> Self {
        self.is_descending = true;
        self
    }

    /// Enqueues the sort on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the sort.
    ///
    /// # Errors
    ///
    /// Those of [`SegmentedSort::prepare`] and [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that the segments can be sorted repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if there is no offset, or more than `u32` represents;
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedSegmentedSort<'a, K, I>> {
        self.check()?;
        Ok(PreparedSegmentedSort { memory: Held::Owned(self.memory()?), sort: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<SegmentedSortMemory<K>> {
        let default = self.keys.device().default_stream();
        SegmentedSortMemory::new(self.stream.unwrap_or(&default), self.keys.len())
    }

    /// Uses memory of an earlier sort instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`SegmentedSort::prepare`].
    pub fn prepare_in(self, memory: &'a mut SegmentedSortMemory<K>) -> Result<PreparedSegmentedSort<'a, K, I>> {
        self.check()?;
        let default = self.keys.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.keys.len())?;
        Ok(PreparedSegmentedSort { memory: Held::Borrowed(memory), sort: self })
    }

    /// Checks the number of offsets.
    fn check(&self) -> Result<()> {
        let offsets = ArrayArgument::input("offsets", self.offsets.len());
        require(offsets.len > 0, "segmented_sort", offsets, RequiredLength::AtLeastOne)?;
        let limit = u32::MAX as usize;
        require(offsets.len <= limit, "segmented_sort", offsets, RequiredLength::Limit(limit))
    }
}

impl<K: SortKey, I: Integer> SegmentedSort<'_, K, I> {
    /// Enqueues the sort.
    fn steps(&mut self, memory: &mut SegmentedSortMemory<K>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let (len, threads) = (self.keys.len(), self.keys.len().max(self.offsets.len()));
        let mut sorted = memory.sorted.slice_mut(..len)?;
        let mut numbers = memory.numbers.slice_mut(..len)?;
        queue.launch(number_segments(self.offsets, &mut numbers).over(threads))?;
        if len == 0 {
            return Ok(());
        }
        let unsorted = self.keys.as_slice();
        let mut by_key = sort_by_key(&mut sorted, &mut numbers);
        by_key.keys_from = Some(unsorted.elements());
        by_key.is_descending = self.is_descending;
        by_key.steps(&mut memory.by_key, queue)?;
        sort_by_key(&mut numbers, &mut sorted).steps(&mut memory.by_segment, queue)?;
        queue.launch(store_segments(self.offsets, &sorted, &mut self.keys).over(len))
    }
}

/// The temporary memory of a [`SegmentedSort`]: see [`SegmentedSort::prepare_in`].
pub struct SegmentedSortMemory<K> {
    /// The keys, which are sorted here, and the numbers of their segments.
    sorted: DeviceArray<K>,
    numbers: DeviceArray<u32>,
    by_key: SortMemory<K, u32>,
    by_segment: SortMemory<u32, K>,
}

impl<K: DeviceType> SegmentedSortMemory<K> {
    fn new(stream: &Stream, len: usize) -> Result<Self> {
        // SAFETY: each launch stores all elements before it reads them.
        let (sorted, numbers) = unsafe { (stream.uninitialized(len)?, stream.uninitialized(len)?) };
        let by_key = SortMemory::new(stream, Sort::<K, u32, true>::sizes_of(len))?;
        let by_segment = SortMemory::new(stream, Sort::<u32, K, true>::sizes_of(len))?;
        Ok(SegmentedSortMemory { sorted, numbers, by_key, by_segment })
    }

    /// Replaces the memory if it is too short.
    fn fit(&mut self, stream: &Stream, len: usize) -> Result<()> {
        if !suffices(&self.sorted, stream, len) {
            *self = SegmentedSortMemory::new(stream, len)?;
        }
        Ok(())
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        let copies = size_of::<K>() * self.sorted.len() + size_of::<u32>() * self.numbers.len();
        copies + self.by_key.bytes() + self.by_segment.bytes()
    }
}

/// A [`SegmentedSort`] with its temporary memory.
pub struct PreparedSegmentedSort<'a, K, I> {
    sort: SegmentedSort<'a, K, I>,
    memory: Held<'a, SegmentedSortMemory<K>>,
}

impl<K: DeviceType, I: DeviceType> PreparedSegmentedSort<'_, K, I> {
    /// Enqueues the sort of the keys that the array has then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.sort.keys.device().default_stream();
        let stream = self.sort.stream.unwrap_or(&default);
        (self.sort.enqueue)(&mut self.sort, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the sort as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.sort.enqueue)(&mut self.sort, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Borrows the keys, for the next launch.
    pub fn keys_mut(&mut self) -> DeviceSliceMut<'_, K> {
        self.sort.keys.as_slice_mut()
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
