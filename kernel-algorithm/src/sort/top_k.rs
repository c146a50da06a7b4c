//! The greatest or the least elements of an array, with their indices.

use cumbia::error::{ArrayArgument, RequiredLength};
use cumbia::{ArrayView1, DeviceArray, DeviceSliceMut, DeviceType, Integer, Recorder, Result, Stream};

use super::argsort::{ArgSortMemory, argsort};
use crate::arrays::{Input, Output, represented, require, require_indices, require_same_length};
use crate::key::SortKey;
use crate::queue::{Held, Queue, StepsIn, suffices};

/// Stores the greatest elements of `x` in `y`, from the greatest on, as many as `y` has, and their indices in `indices`. Those of
/// equal elements ascend. Floats are ordered as by `total_cmp`: a NaN without a sign is the greatest.
///
/// All elements are sorted, so that the time depends on their number alone.
///
/// ```
/// use cumbia::algorithm::top_k;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[0.5f32, 3.0, -1.0, 3.0, 2.0])?;
/// let (mut y, mut indices) = (device.zeros(3)?, device.zeros::<u32>(3)?);
/// top_k(&x, &mut y, &mut indices).launch()?;
/// assert_eq!((y.to_host()?, indices.to_host()?), (vec![3.0, 3.0, 2.0], vec![1, 3, 4]));
/// top_k(&x, &mut y, &mut indices).least().launch()?;
/// assert_eq!((y.to_host()?, indices.to_host()?), (vec![-1.0, 0.5, 2.0], vec![2, 0, 4]));
/// # Ok(())
/// # }
/// ```
pub fn top_k<'a, K: SortKey, I: Integer>(
    x: &'a (impl Input<Element = K> + ?Sized),
    y: &'a mut (impl Output<Element = K> + ?Sized),
    indices: &'a mut (impl Output<Element = I> + ?Sized),
) -> TopK<'a, K, I> {
    TopK {
        x: x.elements(),
        y: y.elements_mut(),
        indices: indices.elements_mut(),
        represented: represented::<I>(),
        is_least: false,
        stream: None,
        enqueue: TopK::steps,
    }
}

/// A selection of the greatest or the least elements: [`top_k`].
#[must_use = "a selection does nothing until it is launched: `.launch()?`"]
pub struct TopK<'a, K, I> {
    x: ArrayView1<'a, K>,
    y: DeviceSliceMut<'a, K>,
    indices: DeviceSliceMut<'a, I>,
    /// The number of indices that the type of `indices` represents.
    represented: usize,
    is_least: bool,
    stream: Option<&'a Stream>,
    enqueue: StepsIn<Self, TopKMemory<K, I>>,
}

impl<'a, K: DeviceType, I: DeviceType> TopK<'a, K, I> {
    /// Selects the least elements, from the least on.
    pub fn least(mut self) -> Self {
        self.is_least = true;
        self
    }

    /// Enqueues the selection on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the selection.
    ///
    /// # Errors
    ///
    /// Those of [`TopK::prepare`] and [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Allocates the temporary memory, so that elements can be selected repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if `y` has more elements than `x`, `indices` does not have as
    /// many as `y`, or `x` has more than `I` represents; [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver
    /// error.
    pub fn prepare(self) -> Result<PreparedTopK<'a, K, I>> {
        self.check()?;
        Ok(PreparedTopK { memory: Held::Owned(self.memory()?), top: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<TopKMemory<K, I>> {
        let default = self.x.device().default_stream();
        TopKMemory::new(self.stream.unwrap_or(&default), self.x.len())
    }

    /// Uses memory of an earlier selection instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function, as by [`Reduce::prepare_in`](crate::Reduce::prepare_in).
    ///
    /// # Errors
    ///
    /// Those of [`TopK::prepare`].
    pub fn prepare_in(self, memory: &'a mut TopKMemory<K, I>) -> Result<PreparedTopK<'a, K, I>> {
        self.check()?;
        let default = self.x.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.x.len())?;
        Ok(PreparedTopK { memory: Held::Borrowed(memory), top: self })
    }

    /// Checks the lengths.
    fn check(&self) -> Result<()> {
        let (x, y) = (ArrayArgument::input("x", self.x.len()), ArrayArgument::output("y", self.y.len()));
        require(y.len <= x.len, "top_k", y, RequiredLength::AtMost(x))?;
        require_same_length("top_k", ArrayArgument::output("indices", self.indices.len()), y)?;
        require_indices("top_k", x, "indices", self.represented)
    }
}

impl<K: SortKey, I: Integer> TopK<'_, K, I> {
    /// Enqueues the selection.
    fn steps(&mut self, memory: &mut TopKMemory<K, I>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let found = self.y.len();
        if found == 0 {
            return Ok(());
        }
        let mut order = memory.order.slice_mut(..self.x.len())?;
        let mut sort = argsort(&self.x, &mut order);
        sort.is_descending = !self.is_least;
        sort.enqueue_with_keys(&mut memory.sort, queue)?;
        queue.copy(&memory.sort.keys.slice(..found)?, &mut self.y)?;
        queue.copy(&memory.order.slice(..found)?, &mut self.indices)
    }
}

/// The temporary memory of a [`TopK`]: see [`TopK::prepare_in`].
pub struct TopKMemory<K, I> {
    sort: ArgSortMemory<K, I>,
    /// The indices of all elements in their order.
    order: DeviceArray<I>,
}

impl<K: DeviceType, I: DeviceType> TopKMemory<K, I> {
    fn new(stream: &Stream, len: usize) -> Result<Self> {
        // SAFETY: a sort stores all indices before it reads them.
        let order = unsafe { stream.uninitialized(len)? };
        Ok(TopKMemory { sort: ArgSortMemory::new(stream, len)?, order })
    }

    /// Replaces the memory if it is too short.
    fn fit(&mut self, stream: &Stream, len: usize) -> Result<()> {
        if suffices(&self.order, stream, len) {
            self.sort.fit(stream, len)
        } else {
            *self = TopKMemory::new(stream, len)?;
            Ok(())
        }
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.sort.bytes() + size_of::<I>() * self.order.len()
    }
}

/// A [`TopK`] with its temporary memory.
pub struct PreparedTopK<'a, K, I> {
    top: TopK<'a, K, I>,
    memory: Held<'a, TopKMemory<K, I>>,
}

impl<K: DeviceType, I: DeviceType> PreparedTopK<'_, K, I> {
    /// Enqueues the selection of the elements that the array has then.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.top.x.device().default_stream();
        let stream = self.top.stream.unwrap_or(&default);
        (self.top.enqueue)(&mut self.top, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the selection as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.top.enqueue)(&mut self.top, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
