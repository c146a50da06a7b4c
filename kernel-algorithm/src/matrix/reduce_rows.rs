//! Reductions of the rows of a matrix: with any function and operator, means, and searches for extreme elements.

use cumbia::error::{ArrayArgument, RequiredLength};
use cumbia::intrinsics::{WARP_SIZE, block_idx, thread_idx};
use cumbia::{ArrayView2, DeviceSliceMut, DeviceType, Float, Integer, Number, Recorder, Result, Stream};
use cumbia_kernel_macros::{DeviceType, device, kernel};

use crate::arrays::{Output, represented, require};
use crate::matrix::runs::{BLOCK, MAX_BY_WARPS, WARPS, reduce_run};
use crate::operator::{Function1, Function2, Identity, Plus};
use crate::queue::{Queue, Steps};
use crate::reduce::chunks::{Mapping, OfOne, assert_reducible};
use crate::search::{Enumerated, Extreme, IndexedValue};

/// The number of rows of which each is searched by a warp, however long they are: those of a GPU without blocks that combine results.
/// The result of a search, unlike that of a sum, does not depend on its parentheses.
const MANY: usize = 1 << 13;

/// Stores the result of `finish` for the reduction of each row of `x` in `y`, with `THREADS` threads for each row. The first operand
/// is `initial`, if there is one.
///
/// Products of the function are not fused with sums of the operator, as in the reduction of an array.
#[kernel(block = 256, fmad = false)]
pub fn reduce_each_row<
    A: DeviceType,
    T: DeviceType,
    M: Mapping<A, u8, Output = T>,
    F: Function2<T, T, Output = T>,
    W: Function1<T>,
    const THREADS: usize,
>(
    map: M,
    operator: F,
    finish: W,
    initial: T,
    has_initial: bool,
    x: ArrayView2<A>,
    y: &mut [W::Output],
) {
    let row = block_idx().x * (BLOCK / THREADS) + thread_idx().x / THREADS;
    if row >= x.nrows() || row >= y.len() || x.ncols() == 0 {
        return;
    }
    let total = reduce_run::<A, T, M, F, THREADS>(map, operator, x.row(row), 0, x.ncols());
    if thread_idx().x % THREADS == 0 {
        y[row] = finish.call(if has_initial { operator.call(initial, total) } else { total });
    }
}

/// The index of an element that was found, as a number of the type of `like`.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct IndexOf<I: DeviceType> {
    like: I,
}

#[device]
impl<T: DeviceType, I: Integer> Function1<IndexedValue<T>> for IndexOf<I> {
    type Output = I;

    fn call(self, a: IndexedValue<T>) -> I {
        I::cast(a.index)
    }
}

/// A number in the type of `like`.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct Converted<A: DeviceType> {
    like: A,
}

#[device]
impl<T: Number, A: Number> Function1<T> for Converted<A> {
    type Output = A;

    fn call(self, a: T) -> A {
        A::cast(a)
    }
}

/// A sum divided by the number of its operands, as a number of the type of `like`.
#[doc(hidden)]
#[derive(Clone, Copy, DeviceType)]
pub struct MeanOf<T: DeviceType, A: DeviceType> {
    like: T,
    count: A,
}

#[device]
impl<T: Float, A: Float> Function1<A> for MeanOf<T, A> {
    type Output = T;

    fn call(self, a: A) -> T {
        T::cast(a / self.count)
    }
}

/// Reduces each row of a matrix:
/// `y[i] = operator(.. operator(operator(initial, x[[i, 0]]), x[[i, 1]]) .., x[[i, n - 1]])`, with any parentheses.
///
/// The operator has to be associative. The order of its operands is kept. As for [`reduce`](crate::reduce()), the
/// parentheses depend on the number of columns alone. A warp reduces a row of up to 1024 elements, and a block a longer
/// one.
///
/// The views may have any strides. It is fastest if the rows are contiguous.
///
/// ```
/// use cumbia::algorithm::{Plus, reduce_rows};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1, 2, 3, 4, 5, 6])?;
/// let mut sums = device.zeros(2)?;
/// reduce_rows(x.reshape((2, 3))?, &mut sums, 0, Plus).launch()?;
/// assert_eq!(sums.to_host()?, [6, 15]);
/// # Ok(())
/// # }
/// ```
pub fn reduce_rows<'a, T: DeviceType, F: Function2<T, T, Output = T>>(
    x: ArrayView2<'a, T>,
    y: &'a mut (impl Output<Element = T> + ?Sized),
    initial: T,
    operator: F,
) -> ReduceRows<'a, T, T, Reduction<Identity, T, F>> {
    transform_reduce_rows(x, y, Identity, initial, operator).named("reduce_rows")
}

/// Reduces the results of a function of the elements of each row, as [`reduce_rows`] does, without storing them. Results have at most
/// 1024 bytes: a larger type does not compile.
///
/// ```
/// use cumbia::algorithm::{Plus, device_fn, transform_reduce_rows};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1.0f32, 2.0, 3.0, -4.0, 0.0, 3.0])?;
/// let mut squares = device.zeros(2)?;
/// let square = device_fn!(|v: f32| -> f32 { v * v });
/// transform_reduce_rows(x.reshape((2, 3))?, &mut squares, square, 0.0, Plus).launch()?;
/// assert_eq!(squares.to_host()?, [14.0, 25.0]);
/// # Ok(())
/// # }
/// ```
pub fn transform_reduce_rows<
    'a,
    A: DeviceType,
    M: Function1<A>,
    F: Function2<M::Output, M::Output, Output = M::Output>,
>(
    x: ArrayView2<'a, A>,
    y: &'a mut (impl Output<Element = M::Output> + ?Sized),
    map: M,
    initial: M::Output,
    operator: F,
) -> ReduceRows<'a, A, M::Output, Reduction<M, M::Output, F>> {
    const { assert_reducible::<M::Output>() };
    ReduceRows {
        x,
        y: y.elements_mut(),
        of_row: Reduction { map, initial, operator },
        represented: None,
        stream: None,
        enqueue: ReduceRows::reductions,
        name: "transform_reduce_rows",
    }
}

/// Computes the mean of each row of a matrix, in `f32`, or in `f64` for elements of that type; of a row without elements, NaN.
///
/// ```
/// use cumbia::algorithm::mean_rows;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1.0f32, 2.0, 6.0, -1.0, 0.0, 1.0])?;
/// let mut means = device.zeros(2)?;
/// mean_rows(x.reshape((2, 3))?, &mut means).launch()?;
/// assert_eq!(means.to_host()?, [3.0, 0.0]);
/// # Ok(())
/// # }
/// ```
pub fn mean_rows<'a, T: Float>(
    x: ArrayView2<'a, T>,
    y: &'a mut (impl Output<Element = T> + ?Sized),
) -> ReduceRows<'a, T, T, Mean> {
    ReduceRows {
        x,
        y: y.elements_mut(),
        of_row: Mean,
        represented: None,
        stream: None,
        enqueue: ReduceRows::means,
        name: "mean_rows",
    }
}

/// Computes the column of the least element of each row, the first of equal ones. NaNs are ignored, unless all elements of the row
/// are NaNs: then it is 0. `y` may have any integer type that represents the columns.
///
/// ```
/// use cumbia::algorithm::{argmax_rows, argmin_rows};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[3.0f32, -1.0, f32::NAN, 2.0, 7.0, 7.0])?;
/// let mut columns = device.zeros::<u32>(2)?;
/// argmin_rows(x.reshape((2, 3))?, &mut columns).launch()?;
/// assert_eq!(columns.to_host()?, [1, 0]);
/// argmax_rows(x.reshape((2, 3))?, &mut columns).launch()?;
/// assert_eq!(columns.to_host()?, [0, 1]);
/// # Ok(())
/// # }
/// ```
pub fn argmin_rows<'a, T: Number, I: Integer>(
    x: ArrayView2<'a, T>,
    y: &'a mut (impl Output<Element = I> + ?Sized),
) -> ReduceRows<'a, T, I, Extreme<false>> {
    search(x, y.elements_mut(), Extreme, "argmin_rows")
}

/// Computes the column of the greatest element of each row, as [`argmin_rows`] that of the least one.
pub fn argmax_rows<'a, T: Number, I: Integer>(
    x: ArrayView2<'a, T>,
    y: &'a mut (impl Output<Element = I> + ?Sized),
) -> ReduceRows<'a, T, I, Extreme<true>> {
    search(x, y.elements_mut(), Extreme, "argmax_rows")
}

/// Returns the search for the extreme element of each row.
fn search<'a, T: Number, I: Integer, const GREATEST: bool>(
    x: ArrayView2<'a, T>,
    y: DeviceSliceMut<'a, I>,
    operator: Extreme<GREATEST>,
    name: &'static str,
) -> ReduceRows<'a, T, I, Extreme<GREATEST>> {
    ReduceRows {
        x,
        y,
        of_row: operator,
        represented: Some(represented::<I>()),
        stream: None,
        enqueue: ReduceRows::searches,
        name,
    }
}

/// A reduction of rows: [`reduce_rows`], [`transform_reduce_rows`], [`mean_rows`], [`argmin_rows`] or [`argmax_rows`].
#[must_use = "a reduction of rows does nothing until it is launched: `.launch()?`"]
pub struct ReduceRows<'a, A, R, S> {
    x: ArrayView2<'a, A>,
    y: DeviceSliceMut<'a, R>,
    /// The computation for each row.
    of_row: S,
    /// The number of columns that the type of the results represents, for a search.
    represented: Option<usize>,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
    /// The function that was called, for errors.
    name: &'static str,
}

/// The reduction of the results of a function.
#[doc(hidden)]
pub struct Reduction<M, T, F> {
    map: M,
    initial: T,
    operator: F,
}

/// The mean.
#[doc(hidden)]
pub struct Mean;

/// The functions of a reduction.
#[derive(Clone, Copy)]
struct Functions<M, T, F, W> {
    map: M,
    operator: F,
    /// The function of the reduction, whose result is stored.
    finish: W,
    initial: Option<T>,
}

impl<'a, A: DeviceType, R: DeviceType, S> ReduceRows<'a, A, R, S> {
    /// Names the function in errors.
    fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Enqueues the reductions on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the reductions. They can be launched again.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if there are not as many results as rows, or a search has rows
    /// without elements or more columns than the type of the results represents; and those of
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

    /// Checks the shape.
    fn check(&self) -> Result<()> {
        let [rows, columns] = self.x.shape();
        let y = ArrayArgument::output("y", self.y.len());
        require(y.len == rows, self.name, y, RequiredLength::Rows { matrix: "x", rows })?;
        if let Some(values) = self.represented
            && rows > 0
        {
            let row = ArrayArgument::input("x.row(i)", columns);
            require(columns > 0, self.name, row, RequiredLength::Extreme)?;
            require(columns <= values, self.name, row, RequiredLength::Represented { indices: "y", values })?;
        }
        Ok(())
    }

    /// Enqueues the reductions.
    fn reduce<M, T, F, W>(&mut self, functions: Functions<M, T, F, W>, queue: &mut Queue<'_, '_>) -> Result<()>
    where
        M: Mapping<A, u8, Output = T>,
        T: DeviceType,
        F: Function2<T, T, Output = T>,
        W: Function1<T, Output = R>,
    {
        self.check()?;
        let [rows, columns] = self.x.shape();
        if rows == 0 {
            return Ok(());
        }
        let Functions { map, operator, finish, initial } = functions;
        let (x, y) = (self.x, &mut self.y);
        let (initial, has_initial) = (initial.unwrap_or_else(T::__placeholder), initial.is_some());
        if columns == 0 {
            queue.fill(y, finish.call(initial))
        } else if columns <= MAX_BY_WARPS || M::SELECTS && rows >= MANY {
            let launch = reduce_each_row::<A, T, M, F, W, WARP_SIZE>(map, operator, finish, initial, has_initial, x, y);
            queue.launch(launch.grid(rows.div_ceil(WARPS)))
        } else {
            let launch = reduce_each_row::<A, T, M, F, W, BLOCK>(map, operator, finish, initial, has_initial, x, y);
            queue.launch(launch.grid(rows))
        }
    }
}

impl<A: DeviceType, T: DeviceType, M: Function1<A, Output = T>, F: Function2<T, T, Output = T>>
    ReduceRows<'_, A, T, Reduction<M, T, F>>
{
    fn reductions(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let Reduction { map, initial, operator } = self.of_row;
        self.reduce(Functions { map: OfOne(map), operator, finish: Identity, initial: Some(initial) }, queue)
    }
}

impl<T: Float> ReduceRows<'_, T, T, Mean> {
    fn means(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let (zero, count) = (T::Wide::ZERO, T::Wide::cast(self.x.ncols()));
        let (map, finish) = (OfOne(Converted { like: zero }), MeanOf { like: T::ZERO, count });
        self.reduce(Functions { map, operator: Plus, finish, initial: Some(zero) }, queue)
    }
}

impl<T: Number, I: Integer, const GREATEST: bool> ReduceRows<'_, T, I, Extreme<GREATEST>> {
    fn searches(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let (map, operator) = (Enumerated::<GREATEST>, Extreme::<GREATEST>);
        self.reduce(Functions { map, operator, finish: IndexOf { like: I::ZERO }, initial: None }, queue)
    }
}
