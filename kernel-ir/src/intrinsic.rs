//! Intrinsics: operations that only a device provides.

use serde::{Deserialize, Serialize};

use super::{Scalar, Type};

/// A device operation, as the target of a call. The runtime defines a Rust item for each; the CUDA C writer maps it to
/// CUDA C.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Intrinsic {
    /// `grid(N)`: the thread's index in the grid, a `usize` or a tuple of them.
    Grid(u8),
    /// `grid_size(N)`: the number of threads of the grid in each dimension.
    GridSize(u8),
    /// `thread_idx()`, a `Dim3` of `usize`
    ThreadIdx,
    /// `block_idx()`
    BlockIdx,
    /// `block_dim()`
    BlockDim,
    /// `grid_dim()`
    GridDim,
    /// `shared::<T>()`: a statically allocated shared variable, one per call site, as `&mut T`.
    Shared(Type),
    /// `dynamic_shared::<T>()`: the block's dynamic shared memory, as `&mut [T]`.
    DynamicShared(Type),
    /// `dynamic_shared_at::<T>(byte_offset, len)`: a part of the dynamic shared memory. Faults if the part is
    /// misaligned or out of bounds.
    DynamicSharedAt(Type),
    /// `sync_threads()`
    SyncThreads,
    /// `sync_threads_count(p)`, `sync_threads_and(p)`, `sync_threads_or(p)`: a barrier that evaluates `p` over the
    /// threads of the block and returns the count (a `u32`), the conjunction or the disjunction (a `bool`).
    SyncThreadsVote(Predicate),
    /// `sync_warp(mask)`
    SyncWarp,
    /// `sync_grid()`, in a cooperative launch.
    SyncGrid,
    /// `thread_fence()`, `thread_fence_block()`, `thread_fence_system()`
    Fence(Scope),
    /// `atomic_add(&mut y[i], v)` and the other atomics. Returns the old value. Compare-exchange takes two values, a
    /// load none; a store returns `()`.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The memory ordering.
        ordering: Ordering,
        /// The scope of atomicity.
        scope: Scope,
    },
    /// `shfl_sync(mask, v, lane)` and the other shuffles: reads the value of another lane, of any type with a memory
    /// layout. If the source lane of `shfl_up_sync` or `shfl_down_sync` is outside the warp, a lane reads its own
    /// value; the other shuffles use the low five bits of the lane.
    Shuffle(Shuffle),
    /// `all_sync(mask, p)`, `any_sync`, `uni_sync`: returns a `bool`. `ballot_sync`: returns a `u32`.
    Vote(Vote),
    /// `match_any_sync(mask, v)`: returns the mask of the lanes with the same value.
    MatchAny,
    /// `match_all_sync(mask, v)`: returns `(mask, true)` if all lanes have the same value, else `(0, false)`.
    MatchAll,
    /// `reduce_add_sync(mask, v)` and the other warp reductions, for `i32` and `u32`.
    Reduce(Reduce),
    /// `active_mask()`
    ActiveMask,
    /// `lane_id()`, a `usize`
    LaneId,
    /// `lanemask_lt()` and the other lane masks.
    LaneMask(Comparison),
    /// `fast::sin(x)` and the others: CUDA's approximations for `f32`.
    Fast(Fast),
    /// `has_faulted()`: returns whether a fault in the stream has not been reported yet, which includes those of the launch.
    HasFaulted,
}

/// The reduction over a barrier's predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Predicate {
    Count,
    And,
    Or,
}

/// The scope of an atomic operation or a fence: CUDA's thread scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// Threads of the same block.
    Block,
    /// Threads of the same device.
    Device,
    /// Threads of all devices, and the host.
    System,
}

/// The memory ordering of an atomic operation, as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is Rust's")]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// The operation of an atomic. Integers wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AtomicOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The minimum. For floats, NaN is ignored, as by `f32::min`.
    Min,
    /// The maximum. For floats, NaN is ignored, as by `f32::max`.
    Max,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// The new value.
    Exchange,
    /// The new value, if the old one has the same bits as the expected one.
    CompareExchange,
    /// `if old >= limit { 0 } else { old + 1 }`
    Inc,
    /// `if old == 0 || old > limit { limit } else { old - 1 }`
    Dec,
    /// The value is unchanged.
    Load,
    /// The new value. Returns nothing.
    Store,
}

/// The rule by which a shuffle selects the source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Shuffle {
    Index,
    Up,
    Down,
    Xor,
}

/// The reduction of a predicate over the lanes of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after CUDA's function")]
pub enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

/// The reduction of a value over the lanes of a mask.
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

/// The comparison by which a lane mask selects lanes relative to the thread's own lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant is named after PTX's register")]
pub enum Comparison {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// The approximated function. CUDA's documentation specifies accuracy and domain.
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
    /// Returns the name by which the user knows the operation: CUDA's, in Rust's spelling.
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
            Intrinsic::HasFaulted => "has_faulted",
        }
    }

    /// Returns whether the operation is meaningful only within a thread of a kernel: it reads the thread's or block's
    /// index, communicates with other threads, or uses shared memory.
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
            Intrinsic::Fence(_) | Intrinsic::Fast(_) | Intrinsic::HasFaulted => false,
            Intrinsic::Atomic { .. } => self.needs_other_threads(),
        }
    }

    /// Returns whether the operation requires the threads of a block to run concurrently: a barrier, or communication
    /// between them.
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
            // A thread may spin until another thread has written the location.
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
            | Intrinsic::Fast(_)
            | Intrinsic::HasFaulted => false,
        }
    }
}

impl Fast {
    /// Returns the name by which the user knows the function.
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
    /// Returns whether the operation is supported for this scalar type.
    pub fn supports(self, scalar: Scalar) -> bool {
        match self {
            AtomicOp::Add | AtomicOp::Sub => scalar.bits() >= 32 || scalar.is_half(),
            AtomicOp::Min | AtomicOp::Max => scalar.bits() >= 32,
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => scalar.is_integer() && scalar.bits() >= 32,
            // The hardware's compare-and-swap operates on at least 16 bits.
            AtomicOp::Exchange | AtomicOp::CompareExchange => scalar.bits() >= 16,
            AtomicOp::Inc | AtomicOp::Dec => scalar.is_integer() && !scalar.is_signed() && scalar.bits() >= 32,
            AtomicOp::Load | AtomicOp::Store => true,
        }
    }

    /// Returns the name by which the user knows the operation: CUDA's, in Rust's spelling.
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
