//! The functions of ours that the text may call: what Rust means where C has no operator for it.
//!
//! `cuda::prelude` knows their texts. Only those that a program calls are written.

use crate::ir::Scalar;

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
    /// `as` from a float, the helper's scalar, to an integer.
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
    IsSignNegative,
    Powi,
    Fract,
}
