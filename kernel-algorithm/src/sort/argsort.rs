//! Sorts of the indices of an array, whose elements keep their places.

use cumbia::error::ArrayArgument;
use cumbia::{ArrayView1, DeviceArray, DeviceSliceMut, DeviceType, Integer, Recorder, Result, Stream};

use super::memory::SortMemory;
use super::radix::{Sort, sort_by_key};
use super::small::{FEW, MANY, SOME, argsort_of_block, items_for};
use crate::arrays::{Input, Output, represented, require_indices, require_same_length};
use crate::indexed::fill_indices;
use crate::key::SortKey;
use crate::queue::{Held, Queue, StepsIn, suffices};

/// Stores in `indices` the indices of the elements of `x` in the order of the elements: `x[indices[0]]` is the least. The indices
/// of equal elements ascend.
///
/// ```
/// use cumbia::algorithm::argsort;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[30, 10, 20, 10])?;
/// let mut order = device.zeros::<u32>(4)?;
/// argsort(&x, &mut order).launch()?;
/// assert_eq!(order.to_host()?, [1, 3, 2, 0]);
/// # Ok(())
/// # }
/// ```
pub fn argsort<'a, K: SortKey, I: Integer>(
    x: &'a (impl Input<Element = K> + ?Sized),
    indices: &'a mut (impl Output<Element = I> + ?Sized),
) -> ArgSort<'a, K, I> {
    ArgSort {
        x: x.elements(),
        indices: indices.elements_mut(),
        represented: represented::<I>(),
        is_descending: false,
        stream: None,
        enqueue: ArgSort::steps,
    }
}

/// A sort of indices: [`argsort`].
#[must_use = "a sort does nothing until it is launched: `.launch()?`"]
pub struct ArgSort<'a, K, I> {
    x: ArrayView1<'a, K>,
    indices: DeviceSliceMut<'a, I>,
    /// The number of indices that the type of `indices` represents.
    represented: usize,
    pub(super) is_descending: bool,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, ArgSortMemory<K, I>>,
}

impl<'a, K: DeviceType, I: DeviceType> ArgSort<'a, K, I> {
    /// Sorts from the greatest element to the least. The indices of equal elements ascend.
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
    /// Those of [`ArgSort::prepare`] and [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that the indices can be sorted repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of the arrays differ, or exceed the number of
    /// indices that `I` represents; [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedArgSort<'a, K, I>> {
        self.check()?;
        Ok(PreparedArgSort { memory: Held::Owned(self.memory()?), sort: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<ArgSortMemory<K, I>> {
        let default = self.x.device().default_stream();
        ArgSortMemory::new(self.stream.unwrap_or(&default), self.x.len())
    }

    /// Uses memory of an earlier sort instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`ArgSort::prepare`].
    pub fn prepare_in(self, memory: &'a mut ArgSortMemory<K, I>) -> Result<PreparedArgSort<'a, K, I>> {
        self.check()?;
        let default = self.x.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.x.len())?;
        Ok(PreparedArgSort { memory: Held::Borrowed(memory), sort: self })
    }

    /// Checks the lengths.
    fn check(&self) -> Result<()> {
        let x = ArrayArgument::input("x", self.x.len());
        require_same_length("argsort", ArrayArgument::output("indices", self.indices.len()), x)?;
        require_indices("argsort", x, "indices", self.represented)
    }
}

impl<K: SortKey, I: Integer> ArgSort<'_, K, I> {
    /// Enqueues the sort.
    fn steps(&mut self, memory: &mut ArgSortMemory<K, I>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let len = self.x.len();
        if len == 0 {
            return Ok(());
        }
        if Sort::<K, I, true>::is_small(len, Sort::<K, I, true>::MAX_TILES)
            && let Some(x) = self.x.as_slice()
        {
            let (x, indices, is_descending) = (&x, &mut self.indices, self.is_descending);
            let items = items_for(len);
            return if items == FEW {
                queue.launch(argsort_of_block::<_, _, FEW>(is_descending, x, indices).grid(1))
            } else if items == SOME || const { size_of::<K>() > 4 } {
                queue.launch(argsort_of_block::<_, _, SOME>(is_descending, x, indices).grid(1))
            } else {
                queue.launch(argsort_of_block::<_, _, MANY>(is_descending, x, indices).grid(1))
            };
        }
        self.enqueue_with_keys(memory, queue)
    }

    /// Enqueues the sort, which leaves the keys in their order in the temporary memory.
    pub(super) fn enqueue_with_keys(
        &mut self,
        memory: &mut ArgSortMemory<K, I>,
        queue: &mut Queue<'_, '_>,
    ) -> Result<()> {
        let len = self.x.len();
        let mut keys = memory.keys.slice_mut(..len)?;
        queue.launch(fill_indices(&mut self.indices).over(len))?;
        let mut sort = sort_by_key(&mut keys, &mut self.indices);
        sort.keys_from = Some(self.x);
        sort.is_descending = self.is_descending;
        sort.steps(&mut memory.sort, queue)
    }
}

/// The temporary memory of an [`ArgSort`]: see [`ArgSort::prepare_in`].
pub struct ArgSortMemory<K, I> {
    /// The sorted keys.
    pub(super) keys: DeviceArray<K>,
    sort: SortMemory<K, I>,
}

impl<K: DeviceType, I: DeviceType> ArgSortMemory<K, I> {
    pub(super) fn new(stream: &Stream, len: usize) -> Result<Self> {
        // SAFETY: a sort copies all elements before it reads them.
        let keys = unsafe { stream.uninitialized(len)? };
        Ok(ArgSortMemory { keys, sort: SortMemory::new(stream, Sort::<K, I, true>::sizes_of(len))? })
    }

    /// Replaces the memory if it is too short.
    pub(super) fn fit(&mut self, stream: &Stream, len: usize) -> Result<()> {
        if !suffices(&self.keys, stream, len) {
            // SAFETY: as above.
            self.keys = unsafe { stream.uninitialized(len)? };
        }
        self.sort.fit(stream, Sort::<K, I, true>::sizes_of(len))
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<K>() * self.keys.len() + self.sort.bytes()
    }
}

/// An [`ArgSort`] with its temporary memory.
pub struct PreparedArgSort<'a, K, I> {
    sort: ArgSort<'a, K, I>,
    memory: Held<'a, ArgSortMemory<K, I>>,
}

impl<K: DeviceType, I: DeviceType> PreparedArgSort<'_, K, I> {
    /// Enqueues the sort of the indices of the elements that the array has then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.sort.x.device().default_stream();
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

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
