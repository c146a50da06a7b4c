//! The functions of ours that the text may call: what Rust means where C has no operator for it.
//!
//! `cuda::prelude` knows their texts. Only those that a program calls are written.

use crate::ir::{AtomicOp, Comparison, Fast, Ordering, Reduce, Scalar, Scope};

/// A helper at one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Helper {
    /// Which.
    pub(crate) op: Op,
    /// At which type. `usize` and `isize` are `u64` and `i64` here, which have the same text.
    pub(crate) scalar: Scalar,
}

impl Helper {
    /// The helper at a type.
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

/// What a helper computes. Their order is that of the text: each after those that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    /// The index, if it is below the length.
    At,
    /// Whether `base + stride * k` is below the length for every `k` of a range.
    Within,
    /// The number itself, which the compiler no longer recognises.
    Opaque,
    /// The bytes of dynamic shared memory.
    DynamicSharedBytes,
    /// The offset of a part of the dynamic shared memory, if it is inside and aligned. Two sites: outside, misaligned.
    DynamicSharedAt,
    /// The counter of a range after a step, or the end.
    Step,
    /// Moves the counter of an inclusive range by a step, and says whether it is still inside.
    StepTo,
    /// The same downwards.
    StepDown,
    /// The length of a sub-slice, if it is inside. Three sites: the start, the end, their order.
    PartLen,
    /// The length of a sub-slice that goes to the end, if it begins inside.
    RestLen,
    /// The length of a sub-slice to which its end belongs. Sites as for the other.
    PartToLen,
    /// `wrapping_add`, for types whose sum C does not wrap.
    WrappingAdd,
    WrappingSub,
    WrappingMul,
    WrappingNeg,
    /// `+` where overflow is a fault.
    Add,
    Sub,
    Mul,
    Neg,
    /// The amount of a shift, if it is below the width. Takes it as a `u64`, and the width.
    ShiftAmount,
    /// `/`. Two sites for signed types: zero, overflow.
    Div,
    /// `%`, with sites as for `/`.
    Rem,
    /// `as` from a float, the helper's scalar, to an integer, and what leads to and from `f16` and `bf16`.
    FloatTo(Scalar),
    SaturatingAdd,
    SaturatingSub,
    Min,
    Max,
    /// Faults where the bounds are in the wrong order.
    Clamp,
    /// For bounds that are known to be in order.
    ClampTo,
    Signum,
    /// Wraps.
    Abs,
    /// Faults for the least value.
    CheckedAbs,
    AbsDiff,
    UnsignedAbs,
    /// Wraps.
    Pow,
    /// Faults on overflow.
    CheckedPow,
    /// Sites as for `/`.
    DivEuclid,
    RemEuclid,
    DivCeil,
    /// Faults for zero, and wraps otherwise.
    WrappingDiv,
    WrappingRem,
    WrappingDivEuclid,
    WrappingRemEuclid,
    /// The site is for zero.
    NextMultipleOf,
    /// Sites for zero and overflow.
    CheckedNextMultipleOf,
    IsMultipleOf,
    /// Wraps to 0.
    NextPowerOfTwo,
    /// Faults on overflow.
    CheckedNextPowerOfTwo,
    /// Faults below 0, where that exists.
    Isqrt,
    /// Sites for the base and the number.
    Ilog,
    Ilog2,
    Ilog10,
    Midpoint,
    /// Gives whether it overflows, and assigns the result to its last argument.
    OverflowingAdd,
    OverflowingSub,
    OverflowingMul,
    OverflowingPow,
    SaturatingMul,
    SaturatingDiv,
    SaturatingNeg,
    SaturatingAbs,
    SaturatingPow,
    /// The second operand has the other sign.
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
    IsSubnormal,
    IsSignNegative,
    Copysign,
    Powi,
    Fract,
    NextUp,
    NextDown,
    /// The bits of an `f16` or a `bf16`.
    ToBits,
    /// The `f16` or `bf16` of these bits.
    FromBits,
    /// `a * b + c` of `f16` and `bf16`, rounded once.
    MulAdd,
    /// One of CUDA's approximations that has no function there.
    Fast(Fast),
    /// Where to divide a slice, if that is inside.
    SplitAt,
    /// How far a lane is away, or 0 where that is outside every warp.
    LaneOffset,
    /// `__shfl_sync` and its like, of a value of any type.
    Shuffle(crate::ir::Shuffle),
    /// The result of a computation over the lanes of a mask.
    Reduce(Reduce),
    /// The lanes that run together here.
    ActiveMask,
    LaneId,
    LaneMask(Comparison),
    /// A barrier for the grid. Faults where the launch is not cooperative.
    SyncGrid,
    /// A side effect of a loop in each turn, without an instruction.
    Progress,
    /// The same with an instruction, where nothing else keeps the loop.
    KeepLoop,
    /// `atomicCAS_system` of 16 bits, which CUDA does not have.
    CompareExchangeSystem,
    Atomic(Atomic),
}

/// An atomic operation that is more than a call of CUDA's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Atomic {
    pub(crate) op: AtomicOp,
    pub(crate) ordering: Ordering,
    pub(crate) scope: Scope,
}

impl Atomic {
    /// The function of CUDA's that does the operation on a type, if one does it all (CUDA C++ Programming Guide,
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
    /// Whether calling it does more than give a value: it writes or waits, or other threads take part.
    #[expect(clippy::too_many_lines, reason = "a table")]
    pub(crate) fn has_effect(self) -> bool {
        match self {
            Op::OverflowingAdd
            | Op::OverflowingSub
            | Op::OverflowingMul
            | Op::OverflowingPow
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
            | Op::Pow
            | Op::CheckedPow
            | Op::DivEuclid
            | Op::RemEuclid
            | Op::DivCeil
            | Op::WrappingDiv
            | Op::WrappingRem
            | Op::WrappingDivEuclid
            | Op::WrappingRemEuclid
            | Op::NextMultipleOf
            | Op::CheckedNextMultipleOf
            | Op::IsMultipleOf
            | Op::NextPowerOfTwo
            | Op::CheckedNextPowerOfTwo
            | Op::Isqrt
            | Op::Ilog
            | Op::Ilog2
            | Op::Ilog10
            | Op::Midpoint
            | Op::SaturatingMul
            | Op::SaturatingDiv
            | Op::SaturatingNeg
            | Op::SaturatingAbs
            | Op::SaturatingPow
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
            | Op::IsSubnormal
            | Op::IsSignNegative
            | Op::Copysign
            | Op::Powi
            | Op::Fract
            | Op::NextUp
            | Op::NextDown
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
