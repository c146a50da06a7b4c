//! The operations that only a device has.

use serde::{Deserialize, Serialize};

use super::Type;

/// An operation of the device, as a callee. The runtime defines a Rust item for each; the writer knows its CUDA C.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Intrinsic {
    /// `grid::<N>()`: the thread's position in the grid, a `usize` or a tuple of them.
    Grid(u8),
    /// `grid_size::<N>()`: how many threads the grid has in each dimension.
    GridSize(u8),
    /// `thread_idx()`, a `Dim3` of `usize`
    ThreadIdx,
    /// `block_idx()`
    BlockIdx,
    /// `block_dim()`
    BlockDim,
    /// `grid_dim()`
    GridDim,
    /// `shared::<T>()`: storage of the block, one for each place in the source.
    Shared(Type),
    /// `dynamic_shared::<T>()`: the block's dynamic shared memory as `&mut [T]`.
    DynamicShared(Type),
    /// `dynamic_shared_at::<T>(byte_offset, len)`: a part of it. Faults where the part is outside or misaligned.
    DynamicSharedAt(Type),
    /// `sync_threads()`
    SyncThreads,
    /// `atomic_add(&mut y[i], v)`: gives the old value. Relaxed, at device scope.
    AtomicAdd,
}

impl Intrinsic {
    /// Whether the threads of a block have to run side by side for it: a barrier, or an exchange between them.
    pub fn needs_other_threads(&self) -> bool {
        match self {
            Intrinsic::SyncThreads => true,
            Intrinsic::Grid(_)
            | Intrinsic::GridSize(_)
            | Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::Shared(_)
            | Intrinsic::DynamicShared(_)
            | Intrinsic::DynamicSharedAt(_)
            | Intrinsic::AtomicAdd => false,
        }
    }
}
