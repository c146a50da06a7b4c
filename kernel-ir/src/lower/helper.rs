//! Helpers: functions that implement Rust operations for which C has no operator.
//!
//! `cuda::prelude` contains their definitions. Only the helpers that a program calls are emitted.

use crate::ir::{AtomicOp, Comparison, Fast, Ordering, Reduce, Scalar, Scope};

/// A helper, instantiated for one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Helper {
    /// The operation.
    pub(crate) op: Op,
    /// The type. `usize` and `isize` are represented by `u64` and `i64`, which have the same definition.
    pub(crate) scalar: Scalar,
}

impl Helper {
    /// Returns the helper for a type.
    pub(crate) fn new(op: Op, scalar: Scalar) -> Helper {
        let op = match op {
            Op::FloatTo(to) => Op::FloatTo(fixed_width(to)),
            op => op,
        };
        Helper { op, scalar: fixed_width(scalar) }
    }
}

fn fixed_width(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Usize => Scalar::U64,
        Scalar::Isize => Scalar::I64,
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F16
        | Scalar::Bf16
        | Scalar::F32
        | Scalar::F64 => scalar,
    }
}

/// The operation of a helper. The variants are in emission order: each follows the helpers that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    /// The index, if it is less than the length.
    At,
    /// Whether `base + stride * k` is less than the length for every `k` of a range.
    Within,
    /// Its argument, hidden from the optimiser.
    Opaque,
    /// The size in bytes of the dynamic shared memory.
    DynamicSharedBytes,
    /// The offset of a part of the dynamic shared memory, if it is in bounds and aligned. Two sites: out of bounds,
    /// misaligned.
    DynamicSharedAt,
    /// The counter of a range after a step, or the end of the range if the step would pass it.
    Step,
    /// Advances the counter of an inclusive range by a step, and returns whether it is still in the range.
    StepTo,
    /// Like `StepTo`, downwards.
    StepDown,
    /// The length of a sub-slice, if it is in bounds. Three sites: the start, the end, their order.
    PartLen,
    /// The length of a sub-slice without an end bound, if its start is in bounds.
    RestLen,
    /// The length of a sub-slice with an inclusive end bound. Sites as for `PartLen`.
    PartToLen,
    /// `wrapping_add`, for types whose C addition does not wrap.
    WrappingAdd,
    WrappingSub,
    WrappingMul,
    WrappingNeg,
    /// `+`, with a fault on overflow.
    Add,
    Sub,
    Mul,
    Neg,
    /// The shift amount, if it is less than the width. Its arguments are the amount as a `u64` and the width.
    ShiftAmount,
    /// `/`. Two sites for signed types: division by zero, overflow.
    Div,
    /// `%`, with sites as for `/`.
    Rem,
    /// `as` from a float, the helper's scalar, to an integer; also conversions to and from `f16` and `bf16`.
    FloatTo(Scalar),
    SaturatingAdd,
    SaturatingSub,
    Min,
    Max,
    /// Faults if the bounds are not ordered.
    Clamp,
    /// For bounds that are known to be ordered.
    ClampTo,
    Signum,
    /// Wraps.
    Abs,
    /// Faults for the minimum.
    CheckedAbs,
    AbsDiff,
    UnsignedAbs,
    DivCeil,
    /// One site: zero.
    NextMultipleOf,
    /// Two sites: zero, overflow.
    CheckedNextMultipleOf,
    IsMultipleOf,
    /// Returns whether the operation overflows, and stores the result through its last argument.
    OverflowingAdd,
    OverflowingSub,
    OverflowingMul,
    /// The second operand has the opposite signedness.
    SaturatingAddMixed,
    SaturatingSubMixed,
    UnboundedShl,
    UnboundedShr,
    RotateLeft,
    RotateRight,
    SwapBytes,
    ReverseBits,
    LeadingZeros,
    TrailingZeros,
    CountOnes,
    IsNan,
    IsInfinite,
    IsFinite,
    IsNormal,
    IsSignNegative,
    Copysign,
    /// The bits of an `f16` or a `bf16`.
    ToBits,
    /// The `f16` or `bf16` with these bits.
    FromBits,
    /// `a * b + c` of `f16` and `bf16`, with a single rounding.
    MulAdd,
    /// An approximation that CUDA does not provide as a function.
    Fast(Fast),
    /// The index at which a slice is split, if it is in bounds.
    SplitAt,
    /// The lane offset of a shuffle, or 0 if it is 32 or more.
    LaneOffset,
    /// `__shfl_sync` and the other shuffles, for a value of any type.
    Shuffle(crate::ir::Shuffle),
    /// A reduction over the lanes of a mask.
    Reduce(Reduce),
    /// The mask of the currently active lanes.
    ActiveMask,
    LaneId,
    LaneMask(Comparison),
    /// A grid-wide barrier. Faults unless the launch is cooperative.
    SyncGrid,
    /// A side effect in each iteration of a loop, without an instruction.
    Progress,
    /// A side effect in each iteration that is an instruction, for loops without any other side effect.
    KeepLoop,
    /// A 16-bit `atomicCAS_system`, which CUDA does not provide.
    CompareExchangeSystem,
    Atomic(Atomic),
}

/// An atomic operation that CUDA does not provide as a single function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Atomic {
    pub(crate) op: AtomicOp,
    pub(crate) ordering: Ordering,
    pub(crate) scope: Scope,
}

impl Atomic {
    /// Returns the CUDA function that implements the operation for a type, if there is one (CUDA C++ Programming Guide,
    /// "Atomic Functions").
    pub(crate) fn builtin(self, scalar: Scalar) -> Option<&'static str> {
        use Scalar::{F32, F64, I32, I64, U16, U32, U64};
        let Atomic { op, ordering, scope } = self;
        let (names, types): ([&'static str; 3], &[Scalar]) = match op {
            AtomicOp::Add => (["atomicAdd_block", "atomicAdd", "atomicAdd_system"], &[I32, U32, U64, F32, F64]),
            AtomicOp::Sub => (["atomicSub_block", "atomicSub", "atomicSub_system"], &[I32, U32]),
            AtomicOp::Min => (["atomicMin_block", "atomicMin", "atomicMin_system"], &[I32, U32, I64, U64]),
            AtomicOp::Max => (["atomicMax_block", "atomicMax", "atomicMax_system"], &[I32, U32, I64, U64]),
            AtomicOp::And => (["atomicAnd_block", "atomicAnd", "atomicAnd_system"], &[I32, U32, U64]),
            AtomicOp::Or => (["atomicOr_block", "atomicOr", "atomicOr_system"], &[I32, U32, U64]),
            AtomicOp::Xor => (["atomicXor_block", "atomicXor", "atomicXor_system"], &[I32, U32, U64]),
            AtomicOp::Exchange => (["atomicExch_block", "atomicExch", "atomicExch_system"], &[I32, U32, U64, F32]),
            AtomicOp::CompareExchange if scalar == U16 && scope != Scope::System => (["atomicCAS"; 3], &[U16]),
            AtomicOp::CompareExchange => (["atomicCAS_block", "atomicCAS", "atomicCAS_system"], &[I32, U32, U64]),
            AtomicOp::Inc => (["atomicInc_block", "atomicInc", "atomicInc_system"], &[U32]),
            AtomicOp::Dec => (["atomicDec_block", "atomicDec", "atomicDec_system"], &[U32]),
            AtomicOp::Load | AtomicOp::Store => return None,
        };
        let [block, device, system] = names;
        let name = match scope {
            Scope::Block => block,
            Scope::Device => device,
            Scope::System => system,
        };
        (ordering == Ordering::Relaxed && types.contains(&fixed_width(scalar))).then_some(name)
    }
}

impl Op {
    /// Returns whether calling the helper has side effects: it writes memory, synchronises or communicates between
    /// threads.
    #[expect(clippy::too_many_lines, reason = "a table")]
    pub(crate) fn has_effect(self) -> bool {
        match self {
            Op::OverflowingAdd
            | Op::OverflowingSub
            | Op::OverflowingMul
            | Op::StepTo
            | Op::StepDown
            | Op::Shuffle(_)
            | Op::Reduce(_)
            | Op::ActiveMask
            | Op::SyncGrid
            | Op::Progress
            | Op::KeepLoop
            | Op::CompareExchangeSystem
            | Op::Atomic(_) => true,
            Op::At
            | Op::Within
            | Op::Opaque
            | Op::DynamicSharedBytes
            | Op::DynamicSharedAt
            | Op::Step
            | Op::PartLen
            | Op::RestLen
            | Op::PartToLen
            | Op::WrappingAdd
            | Op::WrappingSub
            | Op::WrappingMul
            | Op::WrappingNeg
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Neg
            | Op::ShiftAmount
            | Op::Div
            | Op::Rem
            | Op::FloatTo(_)
            | Op::SaturatingAdd
            | Op::SaturatingSub
            | Op::Min
            | Op::Max
            | Op::Clamp
            | Op::ClampTo
            | Op::Signum
            | Op::Abs
            | Op::CheckedAbs
            | Op::AbsDiff
            | Op::UnsignedAbs
            | Op::DivCeil
            | Op::NextMultipleOf
            | Op::CheckedNextMultipleOf
            | Op::IsMultipleOf
            | Op::SaturatingAddMixed
            | Op::SaturatingSubMixed
            | Op::UnboundedShl
            | Op::UnboundedShr
            | Op::RotateLeft
            | Op::RotateRight
            | Op::SwapBytes
            | Op::ReverseBits
            | Op::LeadingZeros
            | Op::TrailingZeros
            | Op::CountOnes
            | Op::IsNan
            | Op::IsInfinite
            | Op::IsFinite
            | Op::IsNormal
            | Op::IsSignNegative
            | Op::Copysign
            | Op::ToBits
            | Op::FromBits
            | Op::MulAdd
            | Op::Fast(_)
            | Op::SplitAt
            | Op::LaneOffset
            | Op::LaneId
            | Op::LaneMask(_) => false,
        }
    }
}
