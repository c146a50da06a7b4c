//! Softmax and layer normalisation of the rows of a matrix. A warp or a block holds a row in registers, so that memory
//! is read once; longer rows are read for each pass over them.
//!
//! Both are computed in `f32`, or in `f64` for elements of that type.

use cumbia::error::{ArrayArgument, RequiredLength};
use cumbia::intrinsics::{WARP_SIZE, block_dim, block_idx, thread_idx};
use cumbia::{ArrayView1, ArrayView2, ArrayViewMut2, DeviceType, Float, Number, Recorder, Result, ShapeError, Stream};
use cumbia_kernel_macros::{device, kernel};

use crate::arrays::{Input, require};
use crate::block::block_reduce;
use crate::operator::{Function2, Maximum, Plus};
use crate::queue::{Queue, Steps};
use crate::warp::warp_reduce;

/// The number of warps of a block, if each has a row of its own.
const WARPS: usize = 8;

/// The number of elements that a thread holds: the most, and few.
const ITEMS: usize = 16;
const FEW_ITEMS: usize = 4;

/// The maximum number of threads of a block, which the kernels' attributes repeat.
const MAX_THREADS: usize = 1024;

/// Returns the reduction of the values of the threads with this row.
#[device]
fn reduce_over_row<A: Number, F: Function2<A, A, Output = A>, const BY_WARPS: bool>(value: A, operator: F) -> A {
    if BY_WARPS { warp_reduce(value, operator) } else { block_reduce(value, operator) }
}

/// Stores the softmax of each row of `x` in `y`. `HELD` elements of each thread cover a row.
#[kernel(launch_bounds(1024))]
pub fn softmax_of_rows<T: Float, A: Float, const HELD: usize, const BY_WARPS: bool>(
    x: ArrayView2<T>,
    mut y: ArrayViewMut2<T>,
) {
    // The elements of a warp are consecutive, in rows of 32, so that the addresses of those of a lane differ by constants.
    let (warp, lane) = (thread_idx().x / WARP_SIZE, thread_idx().x % WARP_SIZE);
    let row = if BY_WARPS { block_idx().x * WARPS + warp } else { block_idx().x };
    let first = if BY_WARPS { 0 } else { warp * (WARP_SIZE * HELD) };
    if row >= x.nrows() || row >= y.nrows() || x.ncols() != y.ncols() {
        return;
    }
    let from = x.row(row);
    let mut to = y.row_mut(row);
    // Elements beyond the end are −∞, whose power is 0.
    let is_full = first + WARP_SIZE * HELD <= from.len();
    let mut own = [A::NEG_INFINITY; HELD];
    if is_full {
        #[unroll]
        for k in 0..HELD {
            own[k] = A::cast(from[first + k * WARP_SIZE + lane]);
        }
    } else {
        #[unroll]
        for k in 0..HELD {
            let j = first + k * WARP_SIZE + lane;
            if j < from.len() {
                own[k] = A::cast(from[j]);
            }
        }
    }
    let mut greatest = own[0];
    #[unroll]
    for k in 1..HELD {
        greatest = greatest.max(own[k]);
    }
    let greatest = reduce_over_row::<A, Maximum, BY_WARPS>(greatest, Maximum);
    let mut sum = A::ZERO;
    #[unroll]
    for k in 0..HELD {
        own[k] = (own[k] - greatest).exp();
        sum += own[k];
    }
    let scale = A::ONE / reduce_over_row::<A, Plus, BY_WARPS>(sum, Plus);
    if is_full {
        #[unroll]
        for k in 0..HELD {
            to[first + k * WARP_SIZE + lane] = T::cast(own[k] * scale);
        }
    } else {
        #[unroll]
        for k in 0..HELD {
            let j = first + k * WARP_SIZE + lane;
            if j < to.len() {
                to[j] = T::cast(own[k] * scale);
            }
        }
    }
}

/// Stores the softmax of each row of `x` in `y`, reading the row three times.
#[kernel(launch_bounds(1024))]
pub fn softmax_of_long_rows<T: Float, A: Float>(x: ArrayView2<T>, mut y: ArrayViewMut2<T>) {
    let (row, rank, threads) = (block_idx().x, thread_idx().x, block_dim().x);
    if row >= x.nrows() || row >= y.nrows() {
        return;
    }
    let from = x.row(row);
    let mut to = y.row_mut(row);
    let mut greatest = A::NEG_INFINITY;
    #[unroll(8)]
    for j in (rank..from.len()).step_by(threads) {
        greatest = greatest.max(A::cast(from[j]));
    }
    let greatest = block_reduce(greatest, Maximum);
    let mut sum = A::ZERO;
    #[unroll(8)]
    for j in (rank..from.len()).step_by(threads) {
        sum += (A::cast(from[j]) - greatest).exp();
    }
    let scale = A::ONE / block_reduce(sum, Plus);
    #[unroll(8)]
    for j in (rank..to.len().min(from.len())).step_by(threads) {
        to[j] = T::cast((A::cast(from[j]) - greatest).exp() * scale);
    }
}

/// Stores the normalised rows of `x`, times `gamma` plus `beta`, in `y`. `HELD` elements of each thread cover a row.
#[kernel(launch_bounds(1024))]
pub fn layer_norm_of_rows<T: Float, A: Float, const HELD: usize, const BY_WARPS: bool>(
    epsilon: A,
    x: ArrayView2<T>,
    gamma: ArrayView1<T>,
    beta: ArrayView1<T>,
    mut y: ArrayViewMut2<T>,
) {
    // The elements of a warp are consecutive, in rows of 32, so that the addresses of those of a lane differ by constants.
    let (warp, lane) = (thread_idx().x / WARP_SIZE, thread_idx().x % WARP_SIZE);
    let row = if BY_WARPS { block_idx().x * WARPS + warp } else { block_idx().x };
    let first = if BY_WARPS { 0 } else { warp * (WARP_SIZE * HELD) };
    if row >= x.nrows() || row >= y.nrows() || x.ncols() != y.ncols() {
        return;
    }
    let from = x.row(row);
    let mut to = y.row_mut(row);
    let is_full = first + WARP_SIZE * HELD <= from.len();
    let mut own = [A::ZERO; HELD];
    if is_full {
        #[unroll]
        for k in 0..HELD {
            own[k] = A::cast(from[first + k * WARP_SIZE + lane]);
        }
    } else {
        #[unroll]
        for k in 0..HELD {
            let j = first + k * WARP_SIZE + lane;
            if j < from.len() {
                own[k] = A::cast(from[j]);
            }
        }
    }
    let mut sum = A::ZERO;
    #[unroll]
    for k in 0..HELD {
        sum += own[k];
    }
    let len = A::cast(from.len());
    let mean = reduce_over_row::<A, Plus, BY_WARPS>(sum, Plus) / len;
    // The second pass over the values in registers does not cancel, as the difference of the mean square and the square of the
    // mean would.
    let mut squares = A::ZERO;
    #[unroll]
    for k in 0..HELD {
        if is_full || first + k * WARP_SIZE + lane < from.len() {
            own[k] -= mean;
            squares += own[k] * own[k];
        }
    }
    let variance = reduce_over_row::<A, Plus, BY_WARPS>(squares, Plus) / len;
    let scale = A::ONE / (variance + epsilon).sqrt();
    if is_full {
        #[unroll]
        for k in 0..HELD {
            let j = first + k * WARP_SIZE + lane;
            to[j] = T::cast(own[k] * scale * A::cast(gamma[j]) + A::cast(beta[j]));
        }
    } else {
        #[unroll]
        for k in 0..HELD {
            let j = first + k * WARP_SIZE + lane;
            if j < to.len() {
                to[j] = T::cast(own[k] * scale * A::cast(gamma[j]) + A::cast(beta[j]));
            }
        }
    }
}

/// Stores the normalised rows of `x`, times `gamma` plus `beta`, in `y`, reading the row three times.
#[kernel(launch_bounds(1024))]
pub fn layer_norm_of_long_rows<T: Float, A: Float>(
    epsilon: A,
    x: ArrayView2<T>,
    gamma: ArrayView1<T>,
    beta: ArrayView1<T>,
    mut y: ArrayViewMut2<T>,
) {
    let (row, rank, threads) = (block_idx().x, thread_idx().x, block_dim().x);
    if row >= x.nrows() || row >= y.nrows() {
        return;
    }
    let from = x.row(row);
    let mut to = y.row_mut(row);
    let mut sum = A::ZERO;
    #[unroll(8)]
    for j in (rank..from.len()).step_by(threads) {
        sum += A::cast(from[j]);
    }
    let len = A::cast(from.len());
    let mean = block_reduce(sum, Plus) / len;
    let mut squares = A::ZERO;
    #[unroll(8)]
    for j in (rank..from.len()).step_by(threads) {
        let difference = A::cast(from[j]) - mean;
        squares += difference * difference;
    }
    let variance = block_reduce(squares, Plus) / len;
    let scale = A::ONE / (variance + epsilon).sqrt();
    #[unroll(8)]
    for j in (rank..to.len().min(from.len()).min(gamma.len()).min(beta.len())).step_by(threads) {
        to[j] = T::cast((A::cast(from[j]) - mean) * scale * A::cast(gamma[j]) + A::cast(beta[j]));
    }
}

/// The threads that process rows of a length.
enum Threads {
    /// A warp for each row, whose lanes hold up to 4 or 16 elements.
    Warp { is_few: bool },
    /// A block of so many threads for each row, which hold up to 16 elements.
    Block(usize),
    /// A block for each row, which does not hold it.
    Streaming,
}

impl Threads {
    fn of(columns: usize) -> Threads {
        if columns <= WARP_SIZE * ITEMS {
            Threads::Warp { is_few: columns <= WARP_SIZE * FEW_ITEMS }
        } else if columns <= MAX_THREADS * ITEMS {
            Threads::Block(columns.div_ceil(ITEMS).next_multiple_of(WARP_SIZE))
        } else {
            Threads::Streaming
        }
    }
}

/// Checks that the shapes of two matrices are equal.
fn check_shapes<T, M, N>(
    operation: &'static str,
    x: &cumbia::ArrayView<'_, T, 2, M>,
    y: &cumbia::ArrayView<'_, T, 2, N>,
) -> Result<()> {
    let (expected, found) = (x.shape(), y.shape());
    if expected == found {
        Ok(())
    } else {
        Err(ShapeError::Mismatch { operation, expected: expected.to_vec(), found: found.to_vec() }.into())
    }
}

/// Computes the softmax of each row: `y[[i, j]] = exp(x[[i, j]]) / Σ exp(x[[i, k]])`.
///
/// The maximum of the row is subtracted before, so that no power overflows. A NaN or ∞ makes the whole row NaN, and so
/// does a row of −∞ alone. The powers and their sum are computed in `f32` for `f16`, `bf16` and `f32`, and in `f64` for
/// `f64`, with parentheses that depend on the number of columns alone.
///
/// The views may have any strides. It is fastest if the rows are contiguous. Rows of up to 16384 elements are read once.
///
/// ```
/// use cumbia::algorithm::softmax_rows;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1000.0f32, 1000.0, -2.0, -2.0])?;
/// let mut y = device.zeros(4)?;
/// softmax_rows(x.reshape((2, 2))?, y.reshape_mut((2, 2))?).launch()?;
/// assert_eq!(y.to_host()?, [0.5; 4]);
/// # Ok(())
/// # }
/// ```
pub fn softmax_rows<'a, T: Float>(x: ArrayView2<'a, T>, y: ArrayViewMut2<'a, T>) -> SoftmaxRows<'a, T> {
    SoftmaxRows { x, y, stream: None, enqueue: SoftmaxRows::steps }
}

/// The softmax of rows: [`softmax_rows`].
#[must_use = "an algorithm does nothing until it is launched: `.launch()?`"]
pub struct SoftmaxRows<'a, T> {
    x: ArrayView2<'a, T>,
    y: ArrayViewMut2<'a, T>,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, T: DeviceType> SoftmaxRows<'a, T> {
    /// Enqueues the computation on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the computation. It can be launched again.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Mismatch`] if the shapes of the matrices differ, and those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the computation as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

impl<T: Float> SoftmaxRows<'_, T> {
    /// Enqueues the computation.
    fn steps(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        check_shapes("softmax_rows", &self.x, &self.y)?;
        if self.x.is_empty() {
            return Ok(());
        }
        let (x, y, [rows, columns]) = (self.x, self.y.view_mut(), self.x.shape());
        match Threads::of(columns) {
            Threads::Warp { is_few } => {
                let (blocks, threads) = (rows.div_ceil(WARPS), WARPS * WARP_SIZE);
                if is_few {
                    let launch = softmax_of_rows::<T, T::Wide, FEW_ITEMS, true>(x, y);
                    queue.launch(launch.grid(blocks).block(threads))
                } else {
                    let launch = softmax_of_rows::<T, T::Wide, ITEMS, true>(x, y);
                    queue.launch(launch.grid(blocks).block(threads))
                }
            }
            Threads::Block(threads) => {
                queue.launch(softmax_of_rows::<T, T::Wide, ITEMS, false>(x, y).grid(rows).block(threads))
            }
            Threads::Streaming => queue.launch(softmax_of_long_rows::<T, T::Wide>(x, y).grid(rows).block(MAX_THREADS)),
        }
    }
}

/// Normalises each row: `y[[i, j]] = (x[[i, j]] - mean) / sqrt(variance + epsilon) * gamma[j] + beta[j]`, with the mean
/// and the variance of the elements of the row.
///
/// The variance is the mean of the squared differences from the mean, computed after the mean, so that nothing cancels. Both are
/// computed in `f32` for `f16`, `bf16` and `f32`, and in `f64` for `f64`, with parentheses that depend on the number of
/// columns alone.
///
/// The views may have any strides. It is fastest if the rows are contiguous. Rows of up to 16384 elements are read once.
///
/// ```
/// use cumbia::algorithm::layer_norm_rows;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1.0f32, 3.0, 5.0, 1.0])?;
/// let (gamma, beta) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[0.0, 0.5])?);
/// let mut y = device.zeros(4)?;
/// layer_norm_rows(x.reshape((2, 2))?, &gamma, &beta, 0.0, y.reshape_mut((2, 2))?).launch()?;
/// assert_eq!(y.to_host()?, [-1.0, 2.5, 1.0, -1.5]);
/// # Ok(())
/// # }
/// ```
pub fn layer_norm_rows<'a, T: Float>(
    x: ArrayView2<'a, T>,
    gamma: &'a (impl Input<Element = T> + ?Sized),
    beta: &'a (impl Input<Element = T> + ?Sized),
    epsilon: f64,
    y: ArrayViewMut2<'a, T>,
) -> LayerNormRows<'a, T> {
    LayerNormRows {
        x,
        gamma: gamma.elements(),
        beta: beta.elements(),
        epsilon,
        y,
        stream: None,
        enqueue: LayerNormRows::steps,
    }
}

/// The layer normalisation of rows: [`layer_norm_rows`].
#[must_use = "an algorithm does nothing until it is launched: `.launch()?`"]
pub struct LayerNormRows<'a, T> {
    x: ArrayView2<'a, T>,
    gamma: ArrayView1<'a, T>,
    beta: ArrayView1<'a, T>,
    epsilon: f64,
    y: ArrayViewMut2<'a, T>,
    stream: Option<&'a Stream>,
    enqueue: Steps<Self>,
}

impl<'a, T: DeviceType> LayerNormRows<'a, T> {
    /// Enqueues the computation on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the computation. It can be launched again.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Mismatch`] if the shapes of the matrices differ, [`AlgorithmError::Length`](cumbia::AlgorithmError::Length)
    /// if `gamma` or `beta` do not have as many elements as a row, and those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.x.device().default_stream();
        let stream = self.stream.unwrap_or(&default);
        (self.enqueue)(self, &mut Queue::Stream(stream))
    }

    /// Records the computation as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.enqueue)(self, &mut Queue::Graph(graph))
    }
}

impl<T: Float> LayerNormRows<'_, T> {
    /// Enqueues the computation.
    fn steps(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        check_shapes("layer_norm_rows", &self.x, &self.y)?;
        let [rows, columns] = self.x.shape();
        for (name, len) in [("gamma", self.gamma.len()), ("beta", self.beta.len())] {
            let required = RequiredLength::Columns { matrix: "x", columns };
            require(len == columns, "layer_norm_rows", ArrayArgument::input(name, len), required)?;
        }
        if self.x.is_empty() {
            return Ok(());
        }
        let epsilon = T::Wide::cast(self.epsilon);
        let (x, gamma, beta, y) = (self.x, self.gamma, self.beta, self.y.view_mut());
        match Threads::of(columns) {
            Threads::Warp { is_few } => {
                let (blocks, threads) = (rows.div_ceil(WARPS), WARPS * WARP_SIZE);
                if is_few {
                    let launch = layer_norm_of_rows::<T, T::Wide, FEW_ITEMS, true>(epsilon, x, gamma, beta, y);
                    queue.launch(launch.grid(blocks).block(threads))
                } else {
                    let launch = layer_norm_of_rows::<T, T::Wide, ITEMS, true>(epsilon, x, gamma, beta, y);
                    queue.launch(launch.grid(blocks).block(threads))
                }
            }
            Threads::Block(threads) => {
                let launch = layer_norm_of_rows::<T, T::Wide, ITEMS, false>(epsilon, x, gamma, beta, y);
                queue.launch(launch.grid(rows).block(threads))
            }
            Threads::Streaming => {
                let launch = layer_norm_of_long_rows::<T, T::Wide>(epsilon, x, gamma, beta, y);
                queue.launch(launch.grid(rows).block(MAX_THREADS))
            }
        }
    }
}
