//! The targets of the launches of an algorithm, and the temporary memory that they share.

use std::ops::{Deref, DerefMut};

use cumbia::intrinsics::grid;
use cumbia::{
    ArrayView1, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Kernel, Launch, Recorder, Result, Stream,
};
use cumbia_kernel_macros::kernel;

/// A target of launches.
pub(crate) enum Queue<'q, 'r> {
    /// A stream, on which they are enqueued.
    Stream(&'q Stream),
    /// A graph, in which they are recorded.
    Graph(&'q mut Recorder<'r>),
}

/// The function that adds the steps of an algorithm to a queue. Algorithms hold a pointer to it, so that their methods have no bounds
/// on operators: rustc reports an operator that does not fit where it is passed, and not again at each method.
pub(crate) type Steps<A> = fn(&mut A, &mut Queue<'_, '_>) -> Result<()>;

/// The same, with temporary memory.
pub(crate) type StepsIn<A, M> = fn(&mut A, &mut M, &mut Queue<'_, '_>) -> Result<()>;

/// Sets all elements to a value, in a graph.
#[kernel]
pub fn fill_elements<T: DeviceType>(value: T, y: &mut [T]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = value;
    }
}

/// Copies the elements of a strided view.
#[kernel]
pub fn copy_elements<T: DeviceType>(x: ArrayView1<T>, y: &mut [T]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[i];
    }
}

impl<'q> Queue<'q, '_> {
    /// Returns whether launches are recorded: they may never execute, and those of the next run are compared with them, so that
    /// temporary memory is prepared in each run.
    pub(crate) fn is_graph(&self) -> bool {
        matches!(self, Queue::Graph(_))
    }

    /// Adds a launch.
    pub(crate) fn launch<'a, K: Kernel>(&mut self, launch: Launch<'a, K>) -> Result<()>
    where
        'q: 'a,
    {
        match self {
            Queue::Stream(stream) => launch.on(stream).launch(),
            Queue::Graph(graph) => graph.launch(launch),
        }
    }

    /// Adds a copy of all elements of `from` to `to`.
    pub(crate) fn copy<T: DeviceType>(
        &mut self,
        from: &DeviceSlice<'_, T>,
        to: &mut DeviceSliceMut<'_, T>,
    ) -> Result<()> {
        match self {
            Queue::Stream(stream) => stream.copy(from, to),
            Queue::Graph(graph) => graph.copy(from, to),
        }
    }

    /// Adds a copy of all elements of a view to `to`, an array of the same length.
    pub(crate) fn copy_view<T: DeviceType>(
        &mut self,
        from: ArrayView1<'_, T>,
        to: &mut DeviceSliceMut<'_, T>,
    ) -> Result<()> {
        match from.as_slice() {
            Some(elements) => self.copy(&elements, to),
            None => self.launch(copy_elements(from, to).over(from.len())),
        }
    }

    /// Sets all elements to a value.
    pub(crate) fn fill<T: DeviceType>(&mut self, elements: &mut DeviceSliceMut<'_, T>, value: T) -> Result<()> {
        match self {
            Queue::Stream(_) => elements.fill(value),
            Queue::Graph(_) if elements.is_empty() => Ok(()),
            Queue::Graph(graph) => {
                let len = elements.len();
                graph.launch(fill_elements(value, elements).over(len))
            }
        }
    }
}

/// Temporary memory that belongs to a prepared algorithm, or is borrowed for it.
pub(crate) enum Held<'a, M> {
    Owned(M),
    Borrowed(&'a mut M),
}

impl<M> Deref for Held<'_, M> {
    type Target = M;

    fn deref(&self) -> &M {
        match self {
            Held::Owned(memory) => memory,
            Held::Borrowed(memory) => memory,
        }
    }
}

impl<M> DerefMut for Held<'_, M> {
    fn deref_mut(&mut self) -> &mut M {
        match self {
            Held::Owned(memory) => memory,
            Held::Borrowed(memory) => memory,
        }
    }
}

/// Returns whether an array on the device of `stream` has at least `len` elements.
pub(crate) fn suffices<T>(array: &DeviceArray<T>, stream: &Stream, len: usize) -> bool {
    array.device() == stream.device() && array.len() >= len
}

/// Borrows the first element of an array that is not empty.
pub(crate) fn first<T>(array: &DeviceArray<T>) -> DeviceSlice<'_, T> {
    let Ok(first) = array.slice(..1) else { unreachable!("results are not empty") };
    first
}

/// Returns the first element of an array that is not empty, after all work that writes it.
pub(crate) fn read_first<T: DeviceType>(array: &DeviceArray<T>) -> Result<T> {
    let mut value = [T::__placeholder()];
    first(array).copy_to_host(&mut value)?;
    Ok(value[0])
}
