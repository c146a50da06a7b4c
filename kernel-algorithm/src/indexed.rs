//! Indices, and elements at given indices.

use cumbia::error::ArrayArgument;
use cumbia::intrinsics::grid;
use cumbia::{ArrayView1, DeviceSliceMut, DeviceType, Integer, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::kernel;

use crate::arrays::{Input, Output, represented, require_indices, require_same_length};
use crate::queue::{Queue, Steps};

/// `y[i] = i`
#[kernel]
pub fn fill_indices<I: Number>(y: &mut [I]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = I::cast(i);
    }
}

/// `y[i] = x[indices[i]]`
#[kernel]
pub fn gather_elements<T: DeviceType, I: Integer>(x: ArrayView1<T>, indices: ArrayView1<I>, y: &mut [T]) {
    let i = grid(1);
    if i < y.len() {
        let index = indices[i];
        assert!(usize::cast(index) < x.len(), "gather: indices[{i}] is {index}, but the length of x is {}", x.len());
        y[i] = x[usize::cast(index)];
    }
}

/// `y[indices[i]] = x[i]`
#[kernel]
pub fn scatter_elements<T: DeviceType, I: Integer>(x: ArrayView1<T>, indices: ArrayView1<I>, y: &mut [T]) {
    let i = grid(1);
    if i < x.len() {
        let index = indices[i];
        assert!(usize::cast(index) < y.len(), "scatter: indices[{i}] is {index}, but the length of y is {}", y.len());
        y[usize::cast(index)] = x[i];
    }
}

/// Computes `y[i] = i`, as a number of any type that represents the indices; floats are rounded.
///
/// ```
/// use cumbia::algorithm::iota;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut y = Device::open()?.zeros::<f32>(3)?;
/// iota(&mut y).launch()?;
/// assert_eq!(y.to_host()?, [0.0, 1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
pub fn iota<I: Number>(y: &mut (impl Output<Element = I> + ?Sized)) -> Iota<'_, I> {
    Iota { y: y.elements_mut(), stream: None, enqueue: Iota::steps }
}

/// The indices of an array: [`iota`].
#[must_use = "an algorithm does nothing until it is launched: `.launch()?`"]
pub struct Iota<'a, I> {
    y: DeviceSliceMut<'a, I>,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, I: DeviceType> Iota<'a, I> {
    /// Enqueues the kernel on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the kernel.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the length of the array exceeds the number of indices that its
    /// type represents, and those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.y.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the indices as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

impl<I: Number> Iota<'_, I> {
    /// Enqueues the indices.
    fn steps(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let len = self.y.len();
        require_indices("iota", ArrayArgument::output("y", len), "y", represented::<I>())?;
        if len == 0 {
            return Ok(());
        }
        let launch = fill_indices(&mut self.y).over(len);
        queue.launch(launch)
    }
}

/// Computes `y[i] = x[indices[i]]`. An index that is out of bounds is a fault.
///
/// ```
/// use cumbia::algorithm::{gather, scatter};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (x, indices) = (device.to_device(&[1.5, 2.5, 3.5])?, device.to_device(&[2u32, 0])?);
/// let (mut y, mut z) = (device.zeros(2)?, device.zeros(3)?);
/// gather(&x, &indices, &mut y).launch()?;
/// assert_eq!(y.to_host()?, [3.5, 1.5]);
/// scatter(&y, &indices, &mut z).launch()?;
/// assert_eq!(z.to_host()?, [1.5, 0.0, 3.5]);
/// # Ok(())
/// # }
/// ```
pub fn gather<'a, T: DeviceType, I: Integer>(
    x: &'a (impl Input<Element = T> + ?Sized),
    indices: &'a (impl Input<Element = I> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
) -> Indexed<'a, T, I, false> {
    Indexed { x: x.elements(), indices: indices.elements(), y: y.elements_mut(), stream: None, enqueue: Indexed::steps }
}

/// Computes `y[indices[i]] = x[i]`; the other elements of `y` keep their values. An index that is out of bounds is a fault. Of
/// elements with equal indices, any one is stored.
pub fn scatter<'a, T: DeviceType, I: Integer>(
    x: &'a (impl Input<Element = T> + ?Sized),
    indices: &'a (impl Input<Element = I> + ?Sized),
    y: &'a mut (impl Output<Element = T> + ?Sized),
) -> Indexed<'a, T, I, true> {
    Indexed { x: x.elements(), indices: indices.elements(), y: y.elements_mut(), stream: None, enqueue: Indexed::steps }
}

/// A copy of elements at indices: [`gather`] or [`scatter`].
#[must_use = "an algorithm does nothing until it is launched: `.launch()?`"]
pub struct Indexed<'a, T, I, const SCATTERS: bool> {
    x: ArrayView1<'a, T>,
    indices: ArrayView1<'a, I>,
    y: DeviceSliceMut<'a, T>,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, T: DeviceType, I: DeviceType, const SCATTERS: bool> Indexed<'a, T, I, SCATTERS> {
    /// Enqueues the kernel on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the kernel. It can be launched again.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if there are not as many indices as elements of `y`, or of `x`
    /// for [`scatter`]; and those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the copy as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

impl<T: DeviceType, I: Integer, const SCATTERS: bool> Indexed<'_, T, I, SCATTERS> {
    /// Enqueues the copy.
    fn steps(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let (algorithm, moved) = if SCATTERS {
            ("scatter", ArrayArgument::input("x", self.x.len()))
        } else {
            ("gather", ArrayArgument::output("y", self.y.len()))
        };
        let len = self.indices.len();
        require_same_length(algorithm, ArrayArgument::input("indices", len), moved)?;
        if len == 0 {
            return Ok(());
        }
        if const { SCATTERS } {
            queue.launch(scatter_elements(self.x, self.indices, &mut self.y).over(len))
        } else {
            queue.launch(gather_elements(self.x, self.indices, &mut self.y).over(len))
        }
    }
}
