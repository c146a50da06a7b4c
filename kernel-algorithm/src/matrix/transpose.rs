//! Transposition of a matrix through tiles in shared memory, so that the rows of both matrices are accessed coalesced.

use cumbia::intrinsics::{block_idx, grid, shared, sync_threads, thread_idx};
use cumbia::{ArrayView2, ArrayViewMut2, DeviceType, Recorder, Result, ShapeError, Stream};
use cumbia_kernel_macros::kernel;

use crate::queue::Queue;

/// The threads of a block: a warp accesses consecutive elements of a row.
const COLUMNS: usize = 32;
const ROWS: usize = 16;

/// The largest elements in bytes that are moved through shared memory. Larger ones occupy whole sectors of 32 bytes anyway.
const MAX_EXCHANGED: usize = 32;

/// `y[[j, i]] = x[[i, j]]`. A block moves a square tile of `TILE` rows. The rows of the tile in shared memory have
/// `WIDTH` elements, more than `TILE`, so that the elements of a column are in different banks.
#[kernel(block = (COLUMNS, ROWS))]
pub fn transpose_tiles<T: DeviceType, const TILE: usize, const WIDTH: usize>(
    x: ArrayView2<T>,
    mut y: ArrayViewMut2<T>,
) {
    let mut tile = shared::<[[T; WIDTH]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (rows, columns) = (x.nrows(), x.ncols());
    if rows == 0 || columns == 0 {
        return;
    }
    // The grid has one dimension: the others have at most 65535 blocks. Successive blocks write to the same rows of `y`, which
    // is faster than that they read the same rows of `x`.
    let tiles = rows.div_ceil(TILE);
    let (row, column) = (block_idx().x % tiles * TILE, block_idx().x / tiles * TILE);
    let is_full =
        row + TILE <= rows && column + TILE <= columns && column + TILE <= y.nrows() && row + TILE <= y.ncols();
    if is_full {
        #[unroll]
        for k in 0..TILE / ROWS {
            let i = k * ROWS + ty;
            #[unroll]
            for l in 0..TILE / COLUMNS {
                let j = l * COLUMNS + tx;
                tile[i][j] = x[[row + i, column + j]];
            }
        }
    } else {
        // Loads beyond the edges are of the last element of a row or column, so that all are issued without branches.
        #[unroll]
        for k in 0..TILE / ROWS {
            let i = k * ROWS + ty;
            #[unroll]
            for l in 0..TILE / COLUMNS {
                let j = l * COLUMNS + tx;
                tile[i][j] = x[[(row + i).min(rows - 1), (column + j).min(columns - 1)]];
            }
        }
    }
    sync_threads();
    if is_full {
        #[unroll]
        for k in 0..TILE / ROWS {
            let j = k * ROWS + ty;
            #[unroll]
            for l in 0..TILE / COLUMNS {
                let i = l * COLUMNS + tx;
                y[[column + j, row + i]] = tile[i][j];
            }
        }
    } else {
        #[unroll]
        for k in 0..TILE / ROWS {
            let j = k * ROWS + ty;
            #[unroll]
            for l in 0..TILE / COLUMNS {
                let i = l * COLUMNS + tx;
                if column + j < y.nrows() && row + i < y.ncols() {
                    y[[column + j, row + i]] = tile[i][j];
                }
            }
        }
    }
}

/// `y[[j, i]] = x[[i, j]]`, with adjacent threads along the rows of `y`.
#[kernel]
pub fn transpose_elements<T: DeviceType>(x: ArrayView2<T>, mut y: ArrayViewMut2<T>) {
    let columns = y.ncols();
    if columns == 0 {
        return;
    }
    let (j, i) = (grid(1) / columns, grid(1) % columns);
    if j < y.nrows() && i < x.nrows() && j < x.ncols() {
        y[[j, i]] = x[[i, j]];
    }
}

/// Copies the transpose of the matrix `x` to `y`: `y[[j, i]] = x[[i, j]]`.
///
/// The views may have any strides. It is fastest if their rows are contiguous, or those of their transposes.
///
/// ```
/// use cumbia::algorithm::transpose;
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1, 2, 3, 4, 5, 6])?;
/// let mut y = device.zeros(6)?;
/// transpose(x.reshape((2, 3))?, y.reshape_mut((3, 2))?).launch()?;
/// assert_eq!(y.to_host()?, [1, 4, 2, 5, 3, 6]);
/// # Ok(())
/// # }
/// ```
pub fn transpose<'a, T: DeviceType>(x: ArrayView2<'a, T>, y: ArrayViewMut2<'a, T>) -> Transpose<'a, T> {
    Transpose { x, y, stream: None }
}

/// A transposition: [`transpose`].
#[must_use = "a transposition does nothing until it is launched: `.launch()?`"]
pub struct Transpose<'a, T> {
    x: ArrayView2<'a, T>,
    y: ArrayViewMut2<'a, T>,
    stream: Option<&'a Stream>,
}

impl<'a, T: DeviceType> Transpose<'a, T> {
    /// Enqueues the transposition on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Enqueues the transposition. It can be launched again.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Mismatch`] if `y` does not have the shape of the transpose, and those of
    /// [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.x.device().default_stream();
        self.enqueue(&mut Queue::Stream(self.stream.unwrap_or(&default)))
    }

    /// Records the transposition as steps of a graph, which has the same results as a launch. The stream is the graph's.
    ///
    /// # Errors
    ///
    /// Those of the launch, and of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        self.enqueue(&mut Queue::Graph(graph))
    }

    /// Enqueues the transposition.
    fn enqueue(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        let ([rows, columns], found) = (self.x.shape(), self.y.shape());
        if found != [columns, rows] {
            let (expected, found) = (vec![columns, rows], found.to_vec());
            return Err(ShapeError::Mismatch { operation: "transpose", expected, found }.into());
        }
        let len = self.x.len();
        if len == 0 {
            return Ok(());
        }
        // Both matrices are transposed if that makes the rows of `y` contiguous.
        let (mut x, mut y) = (self.x, self.y.view_mut());
        if y.strides()[1] != 1 {
            (x, y) = (x.t(), y.t());
        }
        let are_rows_contiguous = x.strides()[1] == 1 && y.strides()[1] == 1;
        let [rows, columns] = x.shape();
        let tiles = |tile: usize| rows.div_ceil(tile) * columns.div_ceil(tile);
        if !are_rows_contiguous || const { size_of::<T>() > MAX_EXCHANGED } {
            return queue.launch(transpose_elements(x, y).over(len));
        }
        // Each thread moves several elements, which hide the latency of memory. Words of 4 bytes are the width of a bank.
        if const { size_of::<T>() == 1 } {
            queue.launch(transpose_tiles::<T, 64, 68>(x, y).grid(tiles(64)))
        } else if const { size_of::<T>() == 2 } {
            queue.launch(transpose_tiles::<T, 64, 66>(x, y).grid(tiles(64)))
        } else if const { size_of::<T>() <= 8 } {
            queue.launch(transpose_tiles::<T, 64, 65>(x, y).grid(tiles(64)))
        } else {
            queue.launch(transpose_tiles::<T, 32, 33>(x, y).grid(tiles(32)))
        }
    }
}
