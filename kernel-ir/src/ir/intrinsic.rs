//! The operations that only a device has.

use serde::{Deserialize, Serialize};

use super::{Scalar, Type};

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
    /// `shared::<T>()`: storage of the block, one for each place in the source, as `&mut T`.
    Shared(Type),
    /// `dynamic_shared::<T>()`: the block's dynamic shared memory as `&mut [T]`.
    DynamicShared(Type),
    /// `dynamic_shared_at::<T>(byte_offset, len)`: a part of it. Faults where the part is outside or misaligned.
    DynamicSharedAt(Type),
    /// `sync_threads()`
    SyncThreads,
    /// `sync_threads_count(p)`, `sync_threads_and(p)`, `sync_threads_or(p)`: a barrier that says of how many threads, of
    /// all, of any `p` holds: a `u32` or a `bool`.
    SyncThreadsVote(Predicate),
    /// `sync_warp(mask)`
    SyncWarp,
    /// `sync_grid()`, under a cooperative launch.
    SyncGrid,
    /// `thread_fence()`, `thread_fence_block()`, `thread_fence_system()`
    Fence(Scope),
    /// `atomic_add(&mut y[i], v)` and its like: gives the old value. Compare-exchange takes two values, a load none;
    /// a store gives `()`.
    Atomic {
        /// What becomes of the value.
        op: AtomicOp,
        /// What other memory is ordered with it.
        ordering: Ordering,
        /// Between whom it is atomic.
        scope: Scope,
    },
    /// `shfl_sync(mask, v, lane)` and its like: the value of another lane, of any type that memory can hold. Where the
    /// source of `shfl_up_sync` or `shfl_down_sync` is outside the warp, a lane gets its own value; the others look at the
    /// low five bits of the lane.
    Shuffle(Shuffle),
    /// `all_sync(mask, p)`, `any_sync`, `uni_sync`: a `bool`; `ballot_sync`: a `u32`.
    Vote(Vote),
    /// `match_any_sync(mask, v)`: the lanes that have this value.
    MatchAny,
    /// `match_all_sync(mask, v)`: `(mask, true)` if all lanes have this value, else `(0, false)`.
    MatchAll,
    /// `reduce_add_sync(mask, v)` and its like, for `i32` and `u32`; `min` and `max` too.
    Reduce(Reduce),
    /// `active_mask()`
    ActiveMask,
    /// `lane_id()`, a `usize`
    LaneId,
    /// `lanemask_lt()` and its like
    LaneMask(Comparison),
    /// `fast::sin(x)` and its like: CUDA's approximations, of `f32`.
    Fast(Fast),
}

/// Which threads a predicate is counted over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Predicate {
    Count,
    And,
    Or,
}

/// Between whom an atomic operation or a fence is: CUDA's scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// The threads of a block.
    Block,
    /// The threads of a device.
    Device,
    /// All devices and the host.
    System,
}

/// What other memory an atomic operation is ordered with: Rust's orderings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is Rust's")]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// What an atomic operation makes of a value. Integers wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AtomicOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The lesser; of floats a NaN is ignored, as by `f32::min`.
    Min,
    /// The greater; of floats a NaN is ignored, as by `f32::max`.
    Max,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// The new value.
    Exchange,
    /// The new value, if the old one has the bits of what is expected.
    CompareExchange,
    /// `if old >= limit { 0 } else { old + 1 }`
    Inc,
    /// `if old == 0 || old > limit { limit } else { old - 1 }`
    Dec,
    /// No change.
    Load,
    /// The new value; gives nothing.
    Store,
}

/// Which lane a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Shuffle {
    Index,
    Up,
    Down,
    Xor,
}

/// What is asked of a predicate over the lanes of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

/// What the lanes of a mask compute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Reduce {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// How a lane of a mask compares with the thread's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after PTX's register")]
pub enum Comparison {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What an approximation approximates. CUDA's documentation says how well, and for which arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after the function")]
pub enum Fast {
    Sin,
    Cos,
    Tan,
    /// `fast::sin_cos(x)`: `(sin, cos)`
    SinCos,
    Tanh,
    Exp,
    Exp2,
    Exp10,
    Ln,
    Log2,
    Log10,
    /// `fast::pow(x, y)`
    Pow,
    /// `fast::div(x, y)`
    Div,
    /// `1 / x`
    Rcp,
    Sqrt,
    /// `1 / sqrt(x)`
    Rsqrt,
}

impl Intrinsic {
    /// CUDA's name in Rust's spelling, by which the user knows it.
    pub fn name(&self) -> &'static str {
        match self {
            Intrinsic::Grid(_) => "grid",
            Intrinsic::GridSize(_) => "grid_size",
            Intrinsic::ThreadIdx => "thread_idx",
            Intrinsic::BlockIdx => "block_idx",
            Intrinsic::BlockDim => "block_dim",
            Intrinsic::GridDim => "grid_dim",
            Intrinsic::Shared(_) => "shared",
            Intrinsic::DynamicShared(_) => "dynamic_shared",
            Intrinsic::DynamicSharedAt(_) => "dynamic_shared_at",
            Intrinsic::SyncThreads => "sync_threads",
            Intrinsic::SyncThreadsVote(Predicate::Count) => "sync_threads_count",
            Intrinsic::SyncThreadsVote(Predicate::And) => "sync_threads_and",
            Intrinsic::SyncThreadsVote(Predicate::Or) => "sync_threads_or",
            Intrinsic::SyncWarp => "sync_warp",
            Intrinsic::SyncGrid => "sync_grid",
            Intrinsic::Fence(Scope::Block) => "thread_fence_block",
            Intrinsic::Fence(Scope::Device) => "thread_fence",
            Intrinsic::Fence(Scope::System) => "thread_fence_system",
            Intrinsic::Atomic { op, ordering: _, scope: _ } => op.name(),
            Intrinsic::Shuffle(Shuffle::Index) => "shfl_sync",
            Intrinsic::Shuffle(Shuffle::Up) => "shfl_up_sync",
            Intrinsic::Shuffle(Shuffle::Down) => "shfl_down_sync",
            Intrinsic::Shuffle(Shuffle::Xor) => "shfl_xor_sync",
            Intrinsic::Vote(Vote::All) => "all_sync",
            Intrinsic::Vote(Vote::Any) => "any_sync",
            Intrinsic::Vote(Vote::Uni) => "uni_sync",
            Intrinsic::Vote(Vote::Ballot) => "ballot_sync",
            Intrinsic::MatchAny => "match_any_sync",
            Intrinsic::MatchAll => "match_all_sync",
            Intrinsic::Reduce(Reduce::Add) => "reduce_add_sync",
            Intrinsic::Reduce(Reduce::Min) => "reduce_min_sync",
            Intrinsic::Reduce(Reduce::Max) => "reduce_max_sync",
            Intrinsic::Reduce(Reduce::And) => "reduce_and_sync",
            Intrinsic::Reduce(Reduce::Or) => "reduce_or_sync",
            Intrinsic::Reduce(Reduce::Xor) => "reduce_xor_sync",
            Intrinsic::ActiveMask => "active_mask",
            Intrinsic::LaneId => "lane_id",
            Intrinsic::LaneMask(Comparison::Eq) => "lanemask_eq",
            Intrinsic::LaneMask(Comparison::Lt) => "lanemask_lt",
            Intrinsic::LaneMask(Comparison::Le) => "lanemask_le",
            Intrinsic::LaneMask(Comparison::Gt) => "lanemask_gt",
            Intrinsic::LaneMask(Comparison::Ge) => "lanemask_ge",
            Intrinsic::Fast(fast) => fast.name(),
        }
    }

    /// Whether it means nothing without a thread of a kernel: it asks where the thread stands, meets other threads, or
    /// uses the memory of its block.
    pub fn needs_thread(&self) -> bool {
        match self {
            Intrinsic::Grid(_)
            | Intrinsic::GridSize(_)
            | Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::Shared(_)
            | Intrinsic::DynamicShared(_)
            | Intrinsic::DynamicSharedAt(_)
            | Intrinsic::SyncThreads
            | Intrinsic::SyncThreadsVote(_)
            | Intrinsic::SyncWarp
            | Intrinsic::SyncGrid
            | Intrinsic::Shuffle(_)
            | Intrinsic::Vote(_)
            | Intrinsic::MatchAny
            | Intrinsic::MatchAll
            | Intrinsic::Reduce(_)
            | Intrinsic::ActiveMask
            | Intrinsic::LaneId
            | Intrinsic::LaneMask(_) => true,
            Intrinsic::Fence(_) | Intrinsic::Fast(_) => false,
            Intrinsic::Atomic { .. } => self.needs_other_threads(),
        }
    }

    /// Whether the threads of a block have to run side by side for it: a barrier, or an exchange between them.
    pub fn needs_other_threads(&self) -> bool {
        match self {
            Intrinsic::SyncThreads
            | Intrinsic::SyncThreadsVote(_)
            | Intrinsic::SyncWarp
            | Intrinsic::SyncGrid
            | Intrinsic::Shuffle(_)
            | Intrinsic::Vote(_)
            | Intrinsic::MatchAny
            | Intrinsic::MatchAll
            | Intrinsic::Reduce(_)
            | Intrinsic::ActiveMask => true,
            // A thread may wait for what another one is to write.
            Intrinsic::Atomic { op, .. } => {
                matches!(op, AtomicOp::Load | AtomicOp::CompareExchange | AtomicOp::Exchange)
            }
            Intrinsic::Grid(_)
            | Intrinsic::GridSize(_)
            | Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::Shared(_)
            | Intrinsic::DynamicShared(_)
            | Intrinsic::DynamicSharedAt(_)
            | Intrinsic::Fence(_)
            | Intrinsic::LaneId
            | Intrinsic::LaneMask(_)
            | Intrinsic::Fast(_) => false,
        }
    }
}

impl Fast {
    /// The name by which the user knows it.
    pub fn name(self) -> &'static str {
        match self {
            Fast::Sin => "fast::sin",
            Fast::Cos => "fast::cos",
            Fast::Tan => "fast::tan",
            Fast::SinCos => "fast::sin_cos",
            Fast::Tanh => "fast::tanh",
            Fast::Exp => "fast::exp",
            Fast::Exp2 => "fast::exp2",
            Fast::Exp10 => "fast::exp10",
            Fast::Ln => "fast::ln",
            Fast::Log2 => "fast::log2",
            Fast::Log10 => "fast::log10",
            Fast::Pow => "fast::pow",
            Fast::Div => "fast::div",
            Fast::Rcp => "fast::rcp",
            Fast::Sqrt => "fast::sqrt",
            Fast::Rsqrt => "fast::rsqrt",
        }
    }
}

impl AtomicOp {
    /// Whether there is such an operation on a number of this type.
    pub fn suits(self, scalar: Scalar) -> bool {
        match self {
            AtomicOp::Add | AtomicOp::Sub => scalar.bits() >= 32 || scalar.is_half(),
            AtomicOp::Min | AtomicOp::Max => scalar.bits() >= 32,
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => scalar.is_integer() && scalar.bits() >= 32,
            // The hardware compares 16 bits at least.
            AtomicOp::Exchange | AtomicOp::CompareExchange => scalar.bits() >= 16,
            AtomicOp::Inc | AtomicOp::Dec => scalar.is_integer() && !scalar.is_signed() && scalar.bits() >= 32,
            AtomicOp::Load | AtomicOp::Store => true,
        }
    }

    /// CUDA's name in Rust's spelling, by which the user knows it.
    pub fn name(self) -> &'static str {
        match self {
            AtomicOp::Add => "atomic_add",
            AtomicOp::Sub => "atomic_sub",
            AtomicOp::Min => "atomic_min",
            AtomicOp::Max => "atomic_max",
            AtomicOp::And => "atomic_and",
            AtomicOp::Or => "atomic_or",
            AtomicOp::Xor => "atomic_xor",
            AtomicOp::Exchange => "atomic_exch",
            AtomicOp::CompareExchange => "atomic_cas",
            AtomicOp::Inc => "atomic_inc",
            AtomicOp::Dec => "atomic_dec",
            AtomicOp::Load => "atomic_load",
            AtomicOp::Store => "atomic_store",
        }
    }
}
