//! Searches for extreme elements: reductions of elements with their indices, which have no value for an empty array.

use cumbia::{DeviceSlice, DeviceType, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::{DeviceType, device};

use crate::arrays::Input;
use crate::operator::{Function1, Function2};
use crate::reduce::chunks::{Mapping, OfOne};
use crate::reduce::{PreparedReduce, Reduce, ReduceMemory};

/// An element and its index: the result of [`argmin`] and [`argmax`] on the device.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct IndexedValue<T: DeviceType> {
    /// The element.
    pub value: T,
    /// Its index.
    pub index: usize,
}

/// The least and the greatest element: the result of [`min_max`] on the device.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct MinMax<T: DeviceType> {
    /// The least element.
    pub min: T,
    /// The greatest element.
    pub max: T,
}

/// The result of a search on the device, and its value on the host.
pub trait Found: DeviceType {
    /// The value on the host.
    type OnHost;

    /// Returns the value.
    fn on_host(self) -> Self::OnHost;
}

impl<T: DeviceType> Found for IndexedValue<T> {
    type OnHost = usize;

    fn on_host(self) -> usize {
        self.index
    }
}

impl<T: DeviceType> Found for MinMax<T> {
    type OnHost = (T, T);

    fn on_host(self) -> (T, T) {
        (self.min, self.max)
    }
}

/// The element with its index, of which [`Extreme`] selects one.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Enumerated<const GREATEST: bool>;

#[device]
impl<T: Number, const GREATEST: bool> Mapping<T, u8> for Enumerated<GREATEST> {
    type Output = IndexedValue<T>;

    const SELECTS: bool = true;

    fn apply(self, a: T, _b: u8, index: usize) -> IndexedValue<T> {
        IndexedValue { value: a, index }
    }

    fn selects(self, before: T, next: T) -> bool {
        // Not so for a NaN among the two.
        let is_before = if GREATEST { next <= before } else { next >= before };
        let is_number = next == next;
        !is_before & is_number
    }
}

/// The greater or the lesser of two elements, the first of equal ones; a NaN only if both are.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Extreme<const GREATEST: bool>;

#[device]
impl<T: Number, const GREATEST: bool> Function2<IndexedValue<T>, IndexedValue<T>> for Extreme<GREATEST> {
    type Output = IndexedValue<T>;

    const COMMUTATIVE: bool = true;

    fn call(self, a: IndexedValue<T>, b: IndexedValue<T>) -> IndexedValue<T> {
        let is_before = if GREATEST { a.value > b.value } else { a.value < b.value };
        let is_after = if GREATEST { b.value > a.value } else { b.value < a.value };
        let (a_is_nan, b_is_nan) = (a.value != a.value, b.value != b.value);
        let is_a = if a_is_nan != b_is_nan { b_is_nan } else { is_before || !is_after && a.index < b.index };
        if is_a { a } else { b }
    }
}

/// The number as the least and the greatest.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct ToMinMax;

#[device]
impl<T: Number> Function1<T> for ToMinMax {
    type Output = MinMax<T>;

    fn call(self, a: T) -> MinMax<T> {
        MinMax { min: a, max: a }
    }
}

/// The least and the greatest element of two parts of an array.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Widest;

#[device]
impl<T: Number> Function2<MinMax<T>, MinMax<T>> for Widest {
    type Output = MinMax<T>;

    const COMMUTATIVE: bool = true;

    fn call(self, a: MinMax<T>, b: MinMax<T>) -> MinMax<T> {
        MinMax { min: a.min.min(b.min), max: a.max.max(b.max) }
    }
}

/// Computes the index of the least element, the first of equal ones; `None` for an empty array. NaNs are ignored,
/// unless all elements are NaNs.
///
/// ```
/// use cumbia::algorithm::{argmax, argmin, min_max};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3.0f32, f32::NAN, -1.0, 4.0, -1.0])?;
/// assert_eq!(argmin(&x).value()?, Some(2));
/// assert_eq!(argmax(&x.slice(..3)?).on(&device.stream()?).value()?, Some(0));
/// assert_eq!(min_max(&x).value()?, Some((-1.0, 4.0)));
/// assert_eq!(argmin(&x.slice(..0)?).value()?, None);
/// # Ok(())
/// # }
/// ```
pub fn argmin<T: Number>(
    x: &(impl Input<Element = T> + ?Sized),
) -> Search<'_, T, Enumerated<false>, IndexedValue<T>, Extreme<false>> {
    Search { reduce: Reduce::new(x.elements(), None, Enumerated, None, Extreme) }
}

/// Computes the index of the greatest element, the first of equal ones; `None` for an empty array. NaNs are ignored, unless all
/// elements are NaNs, as by [`argmin`].
pub fn argmax<T: Number>(
    x: &(impl Input<Element = T> + ?Sized),
) -> Search<'_, T, Enumerated<true>, IndexedValue<T>, Extreme<true>> {
    Search { reduce: Reduce::new(x.elements(), None, Enumerated, None, Extreme) }
}

/// Computes the least and the greatest element in one pass; `None` for an empty array. NaNs are ignored, as by
/// [`f32::min`]: both are NaN only if all elements are NaNs. [`argmin`] has an example.
pub fn min_max<T: Number>(x: &(impl Input<Element = T> + ?Sized)) -> Search<'_, T, OfOne<ToMinMax>, MinMax<T>, Widest> {
    Search { reduce: Reduce::new(x.elements(), None, OfOne(ToMinMax), None, Widest) }
}

/// A search: [`argmin`], [`argmax`] or [`min_max`].
#[must_use = "a search does nothing until its value is asked for: `.value()?`"]
pub struct Search<'a, T, M, S, F> {
    reduce: Reduce<'a, T, u8, M, S, F>,
}

impl<'a, T: DeviceType, M, S: Found, F> Search<'a, T, M, S, F> {
    /// Enqueues the search on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.reduce = self.reduce.on(stream);
        self
    }

    /// Computes the value, unless the array is empty, and waits for it.
    ///
    /// # Errors
    ///
    /// Those of [`Search::prepare`] and [`PreparedSearch::value`].
    pub fn value(self) -> Result<Option<S::OnHost>> {
        if self.reduce.is_empty() { Ok(None) } else { self.prepare()?.value() }
    }

    /// Allocates the temporary memory, so that the search can be repeated without allocations.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedSearch<'a, T, M, S, F>> {
        Ok(PreparedSearch { is_empty: self.reduce.is_empty(), reduce: self.reduce.prepare()? })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<ReduceMemory<S>> {
        self.reduce.memory()
    }

    /// Uses memory of an earlier search instead of allocating it, as [`Reduce::prepare_in`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Search::prepare`].
    pub fn prepare_in(self, memory: &'a mut ReduceMemory<S>) -> Result<PreparedSearch<'a, T, M, S, F>> {
        Ok(PreparedSearch { is_empty: self.reduce.is_empty(), reduce: self.reduce.prepare_in(memory)? })
    }
}

/// A [`Search`] with its temporary memory.
pub struct PreparedSearch<'a, T, M, S, F> {
    reduce: PreparedReduce<'a, T, u8, M, S, F>,
    is_empty: bool,
}

impl<T: DeviceType, M, S: Found, F> PreparedSearch<'_, T, M, S, F> {
    /// Enqueues the search, without waiting for the value.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        if self.is_empty { Ok(()) } else { self.reduce.launch() }
    }

    /// Records the search as steps of a graph, which has the same results as a launch. The stream is the graph's. After the
    /// run, [`PreparedSearch::result`] and [`PreparedSearch::read`] have its value.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        if self.is_empty { Ok(()) } else { self.reduce.record(graph) }
    }

    /// Computes the value, unless the array is empty, and waits for it.
    ///
    /// # Errors
    ///
    /// Those of [`PreparedReduce::value`].
    pub fn value(&mut self) -> Result<Option<S::OnHost>> {
        if self.is_empty { Ok(None) } else { Ok(Some(self.reduce.value()?.on_host())) }
    }

    /// Waits for the last launch, and returns its value, unless the array is empty. Before the first launch it has no meaning.
    ///
    /// # Errors
    ///
    /// Those of [`PreparedReduce::read`].
    pub fn read(&self) -> Result<Option<S::OnHost>> {
        if self.is_empty { Ok(None) } else { Ok(Some(self.reduce.read()?.on_host())) }
    }

    /// Borrows the result of the last launch, an array of one element on the device, for later launches: an [`IndexedValue`] or a
    /// [`MinMax`]. For an empty array nothing is computed: it is that of an earlier search in this memory, or zero.
    pub fn result(&self) -> DeviceSlice<'_, S> {
        self.reduce.result()
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.reduce.temporary_bytes()
    }
}
