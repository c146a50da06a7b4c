//! Indices of threads, and the dimensions of blocks and grids.

use super::intrinsic;
use crate::cpu::{Cx, Literal};
use crate::dim::Dim3;

intrinsic! {
    /// `grid(1)`, `grid(2)`, `grid(3)`: the thread's position in the whole grid, as Numba's `cuda.grid`.
    ///
    /// `grid(1)` is a `usize`, `grid(2)` is `(x, y)` and `grid(3)` is `(x, y, z)`, where `x` is
    /// `block_idx().x * block_dim().x + thread_idx().x` and varies fastest between neighbouring threads. Positions have
    /// 64 bits and do not wrap.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn number(out: &mut [u64]) {
    ///     let i = grid(1);
    ///     if i < out.len() {
    ///         out[i] = i as u64;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut out = Device::cpu().zeros(4)?;
    /// number(&mut out).grid(2).block(2).launch()?;
    /// assert_eq!(out.to_host()?, [0, 1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    grid[const N](dimensions) = Intrinsic::Grid(N as u8)
}

intrinsic! {
    /// `global_id(1)`, `global_id(2)`, `global_id(3)`: the global index of the thread; the same as [`grid`], under an
    /// unambiguous name: in CUDA C++, *grid* denotes all blocks of a launch.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn double(x: &mut [i32]) {
    ///     let i = global_id(1);
    ///     if i < x.len() {
    ///         x[i] *= 2;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1, 2, 3])?;
    /// double(&mut x).grid(2).block(2).launch()?;
    /// assert_eq!(x.to_host()?, [2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    global_id[const N](dimensions) = Intrinsic::Grid(N as u8)
}

intrinsic! {
    /// `grid_size(1)`, `grid_size(2)`, `grid_size(3)`: the number of threads of the grid in each dimension, as Numba's
    /// `cuda.gridsize`. It is the stride of a grid-stride loop.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn negate(x: &mut [i32]) {
    ///     for i in (grid(1)..x.len()).step_by(grid_size(1)) {
    ///         x[i] = -x[i];
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1, 2, 3, 4, 5])?;
    /// negate(&mut x).grid(1).block(2).launch()?;
    /// assert_eq!(x.to_host()?, [-1, -2, -3, -4, -5]);
    /// # Ok(())
    /// # }
    /// ```
    grid_size[const N](dimensions) = Intrinsic::GridSize(N as u8)
}

intrinsic! {
    /// `thread_idx()`: the thread's index in its block, a [`Dim3`]; CUDA's `threadIdx`.
    thread_idx() = Intrinsic::ThreadIdx
}

intrinsic! {
    /// `block_idx()`: the block's index in the grid, a [`Dim3`]; CUDA's `blockIdx`.
    block_idx() = Intrinsic::BlockIdx
}

intrinsic! {
    /// `block_dim()`: the number of threads of a block in each dimension, a [`Dim3`]; CUDA's `blockDim`.
    block_dim() = Intrinsic::BlockDim
}

intrinsic! {
    /// `grid_dim()`: the number of blocks in each dimension, a [`Dim3`]; CUDA's `gridDim`.
    grid_dim() = Intrinsic::GridDim
}

intrinsic! {
    /// `lane_id()`: the thread's lane in its warp, a `usize` below [`WARP_SIZE`](super::WARP_SIZE); PTX's `%laneid`.
    ///
    /// The threads of a block form warps in linear order, `x` fastest: thread 33 of a one-dimensional block is lane 1
    /// of the second warp.
    lane_id() = Intrinsic::LaneId
}

/// The number of dimensions that the argument of an intrinsic states.
pub trait Dimensions {
    /// `usize`, or a tuple of them.
    type Position;

    /// Returns the leading components.
    fn leading(all: Dim3) -> Self::Position;
}

/// Implements [`Dimensions`].
macro_rules! dimensions {
    ($($count:literal $position:ty: $all:ident => $leading:expr;)*) => {$(
        impl Dimensions for Literal<$count> {
            type Position = $position;

            #[inline(always)]
            fn leading($all: Dim3) -> $position {
                $leading
            }
        }
    )*};
}

dimensions! {
    1 usize: all => all.x;
    2 (usize, usize): all => (all.x, all.y);
    3 (usize, usize, usize): all => (all.x, all.y, all.z);
}

/// Returns the thread's position in the grid.
#[inline(always)]
fn position(cx: Cx<'_>) -> Dim3 {
    let (geometry, thread) = (cx.geometry(), cx.thread());
    let (block_idx, block_dim) = (geometry.block_idx, geometry.block_dim);
    Dim3 {
        x: block_idx.x * block_dim.x + thread.x,
        y: block_idx.y * block_dim.y + thread.y,
        z: block_idx.z * block_dim.z + thread.z,
    }
}

/// Returns the number of threads of the grid in each dimension.
#[inline(always)]
fn extent(cx: Cx<'_>) -> Dim3 {
    let geometry = cx.geometry();
    let (block_dim, grid_dim) = (geometry.block_dim, geometry.grid_dim);
    Dim3 { x: grid_dim.x * block_dim.x, y: grid_dim.y * block_dim.y, z: grid_dim.z * block_dim.z }
}

/// Implements `call`. The value of the argument is known from the type of the context.
macro_rules! dimensioned {
    ($($name:ident $all:ident),*) => {$(
        impl<const N: usize> $name<'_, N>
        where
            Literal<N>: Dimensions,
        {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self, _dimensions: usize) -> <Literal<N> as Dimensions>::Position {
                <Literal<N> as Dimensions>::leading($all(self.call.0.cx))
            }
        }
    )*};
}

dimensioned!(grid position, global_id position, grid_size extent);

impl thread_idx<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> Dim3 {
        self.call.cx.thread()
    }
}

impl block_idx<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> Dim3 {
        self.call.cx.geometry().block_idx
    }
}

impl block_dim<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> Dim3 {
        self.call.cx.geometry().block_dim
    }
}

impl grid_dim<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> Dim3 {
        self.call.cx.geometry().grid_dim
    }
}

impl lane_id<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> usize {
        self.call.cx.lane() as usize
    }
}
