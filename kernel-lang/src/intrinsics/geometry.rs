//! Indices of threads, and the dimensions of blocks and grids.

use super::intrinsic;
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
    grid[const N] = Intrinsic::Grid(N as u8)
}

intrinsic! {
    /// `global_id(1)`, `global_id(2)`, `global_id(3)`: the global index of the thread; the same as [`grid`], under a name that
    /// cannot be mistaken for the number of blocks, which CUDA C++ calls the grid.
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
    global_id[const N] = Intrinsic::Grid(N as u8)
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
    grid_size[const N] = Intrinsic::GridSize(N as u8)
}

intrinsic! {
    /// `thread_idx()`: the thread's index in its block, a [`Dim3`]; CUDA's `threadIdx`.
    thread_idx = Intrinsic::ThreadIdx
}

intrinsic! {
    /// `block_idx()`: the block's index in the grid, a [`Dim3`]; CUDA's `blockIdx`.
    block_idx = Intrinsic::BlockIdx
}

intrinsic! {
    /// `block_dim()`: the number of threads of a block in each dimension, a [`Dim3`]; CUDA's `blockDim`.
    block_dim = Intrinsic::BlockDim
}

intrinsic! {
    /// `grid_dim()`: the number of blocks in each dimension, a [`Dim3`]; CUDA's `gridDim`.
    grid_dim = Intrinsic::GridDim
}

intrinsic! {
    /// `lane_id()`: the thread's lane in its warp, a `usize` below [`WARP_SIZE`](super::WARP_SIZE); PTX's `%laneid`.
    ///
    /// The threads of a block form warps in linear order, `x` fastest: thread 33 of a one-dimensional block is lane 1
    /// of the second warp.
    lane_id = Intrinsic::LaneId
}

impl<const N: usize> grid<'_, N> {
    #[inline(always)]
    fn position(self) -> Dim3 {
        let position = self.call.cx.geometry();
        let (block_idx, block_dim, thread) = (position.block_idx, position.block_dim, self.call.cx.thread());
        Dim3 {
            x: block_idx.x * block_dim.x + thread.x,
            y: block_idx.y * block_dim.y + thread.y,
            z: block_idx.z * block_dim.z + thread.z,
        }
    }
}

impl<const N: usize> global_id<'_, N> {
    #[inline(always)]
    fn position(self) -> Dim3 {
        grid::<N> { call: self.call, types: self.types }.position()
    }
}

impl<const N: usize> grid_size<'_, N> {
    #[inline(always)]
    fn extent(self) -> Dim3 {
        let position = self.call.cx.geometry();
        let (block_dim, grid_dim) = (position.block_dim, position.grid_dim);
        Dim3 { x: grid_dim.x * block_dim.x, y: grid_dim.y * block_dim.y, z: grid_dim.z * block_dim.z }
    }
}

/// Implements `call` for one, two and three dimensions.
macro_rules! dimensions {
    ($($name:ident $method:ident),*) => {$(
        impl $name<'_, 1> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self) -> usize {
                self.$method().x
            }
        }

        impl $name<'_, 2> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self) -> (usize, usize) {
                let Dim3 { x, y, z: _ } = self.$method();
                (x, y)
            }
        }

        impl $name<'_, 3> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self) -> (usize, usize, usize) {
                let Dim3 { x, y, z } = self.$method();
                (x, y, z)
            }
        }
    )*};
}

dimensions!(grid position, global_id position, grid_size extent);

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
