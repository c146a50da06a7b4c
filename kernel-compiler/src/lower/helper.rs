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

/// Defines [`Op`], the group of each operation, the stem of its name, and whether it has an `effect`.
macro_rules! ops {
    ($(
        $(#[$group_doc:meta])*
        $group:ident {
            $($(#[$doc:meta])* $op:ident $(($payload:ident: $ty:ty))? $stem:literal $($effect:ident)?,)*
        }
    )*) => {
        /// The operation of a helper. The variants are in emission order: each follows the helpers that it calls.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Op {
            $($($(#[$doc])* $op $(($ty))?,)*)*
        }

        $(
            $(#[$group_doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[allow(clippy::enum_variant_names, reason = "the names of Rust's methods")]
            pub(crate) enum $group {
                $($op $(($ty))?,)*
            }
        )*

        /// An operation by its group. The definitions of a group are a table of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::enum_variant_names, reason = "each variant has the name of its type")]
        pub(crate) enum OpGroup {
            $($group($group),)*
        }

        impl Op {
            /// Returns the operation by its group.
            pub(crate) fn group(self) -> OpGroup {
                match self {
                    $($(Op::$op $(($payload))? => OpGroup::$group($group::$op $(($payload))?),)*)*
                }
            }

            /// Returns the stem of the helper's name: that of the corresponding Rust method, if there is one.
            pub(crate) fn stem(self) -> &'static str {
                match self {
                    $($(Op::$op { .. } => $stem,)*)*
                }
            }

            /// Returns the position of the argument that the helper assigns, if it does: a counter, or the result of an
            /// overflowing operation. It has no other effect then.
            pub(crate) fn output(self) -> Option<usize> {
                match self {
                    Op::StepTo | Op::StepDown => Some(0),
                    Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => Some(2),
                    _ => None,
                }
            }

            /// Returns whether calling the helper has side effects: it writes memory, synchronises or communicates
            /// between threads.
            pub(crate) fn has_effect(self) -> bool {
                match self {
                    $($(Op::$op { .. } => ops!(@effect $($effect)?),)*)*
                }
            }
        }
    };
    (@effect effect) => { true };
    (@effect) => { false };
}

ops! {
    /// Operations on indices, lengths and shift amounts.
    IndexOp {
        /// The index, if it is less than the length.
        At "at",
        /// Whether a number is at most another one. The greatest of its type stands for all that exceed it, and is not.
        Within "within",
        /// The size in bytes of the dynamic shared memory.
        DynamicSharedBytes "dynamic_shared_bytes",
        /// The offset of a part of the dynamic shared memory, if it is in bounds and aligned. Two sites: out of bounds,
        /// misaligned.
        DynamicSharedAt "dynamic_shared_at",
        /// The length of a sub-slice, if it is in bounds. Three sites: the start, the end, their order.
        PartLen "part_len",
        /// The length of a sub-slice without an end bound, if its start is in bounds.
        RestLen "rest_len",
        /// The length of a sub-slice with an inclusive end bound. Sites as for `PartLen`.
        PartToLen "part_to_len",
        /// The shift amount, if it is less than the width. Its arguments are the amount as a `u64` and the width.
        ShiftAmount "shift_amount",
        /// The index at which a slice is split, if it is in bounds.
        SplitAt "split_at",
        /// Its argument, an integer, hidden from the optimiser.
        Opaque "opaque",
        /// Whether an address is a multiple of a power of two.
        IsAligned "is_aligned",
        /// Loads consecutive elements from an aligned address into an array, which is its last argument.
        LoadPacked "load_packed" effect,
        /// Stores the elements of an array to an aligned address.
        StorePacked "store_packed" effect,
    }
    /// Operations on integers.
    IntegerOp {
        /// The counter of a range after a step, or the end of the range if the step would pass it.
        Step "step",
        /// Advances the counter of an inclusive range by a step, and returns whether it is still in the range.
        StepTo "step_to" effect,
        /// Like `StepTo`, downwards.
        StepDown "step_down" effect,
        /// `wrapping_add`, for types whose C addition does not wrap.
        WrappingAdd "wrapping_add",
        WrappingSub "wrapping_sub",
        WrappingMul "wrapping_mul",
        WrappingNeg "wrapping_neg",
        /// `+`, with a fault on overflow.
        Add "add",
        Sub "sub",
        Mul "mul",
        Neg "neg",
        /// `/`. Two sites for signed types: division by zero, overflow.
        Div "div",
        /// `%`, with sites as for `/`.
        Rem "rem",
        SaturatingAdd "saturating_add",
        SaturatingSub "saturating_sub",
        /// Of unsigned numbers: a part of the test ahead of a loop.
        SaturatingMul "saturating_mul",
        /// Faults for the minimum.
        CheckedAbs "checked_abs",
        AbsDiff "abs_diff",
        UnsignedAbs "unsigned_abs",
        DivCeil "div_ceil",
        /// One site: zero.
        NextMultipleOf "next_multiple_of",
        /// Two sites: zero, overflow.
        CheckedNextMultipleOf "checked_next_multiple_of",
        IsMultipleOf "is_multiple_of",
        /// Returns whether the operation overflows, and stores the result through its last argument.
        OverflowingAdd "overflowing_add" effect,
        OverflowingSub "overflowing_sub" effect,
        OverflowingMul "overflowing_mul" effect,
        /// The second operand has the opposite signedness.
        SaturatingAddMixed "saturating_add_signed",
        SaturatingSubMixed "saturating_sub_unsigned",
        UnboundedShl "unbounded_shl",
        UnboundedShr "unbounded_shr",
        RotateLeft "rotate_left",
        RotateRight "rotate_right",
        SwapBytes "swap_bytes",
        ReverseBits "reverse_bits",
        LeadingZeros "leading_zeros",
        TrailingZeros "trailing_zeros",
        CountOnes "count_ones",
    }
    /// Conversions.
    CastOp {
        /// `as` from a float, the helper's scalar, to an integer; also conversions to and from `f16` and `bf16`.
        FloatTo(to: Scalar) "to",
    }
    /// Operations on integers and 16-bit floats, for which CUDA has functions of `float` and `double`.
    ExactOp {
        Min "min",
        Max "max",
        /// Wraps.
        Abs "abs",
    }
    /// Operations on all numbers.
    NumberOp {
        /// Faults if the bounds are not ordered.
        Clamp "clamp",
        /// For bounds that are known to be ordered.
        ClampTo "clamp_to",
        Signum "signum",
    }
    /// Classes of floats.
    ClassOp {
        IsNan "is_nan",
        IsInfinite "is_infinite",
        IsFinite "is_finite",
        IsNormal "is_normal",
        IsSignNegative "is_sign_negative",
    }
    /// Operations on 16-bit floats.
    HalfOp {
        Copysign "copysign",
        /// The bits of an `f16` or a `bf16`.
        ToBits "to_bits",
        /// The `f16` or `bf16` with these bits.
        FromBits "from_bits",
        /// `a * b + c` of `f16` and `bf16`, with a single rounding.
        MulAdd "mul_add",
    }
    /// Approximations.
    FastOp {
        /// An approximation that CUDA does not provide as a function.
        Fast(fast: Fast) "fast",
    }
    /// Operations of warps and grids, and side effects.
    ThreadOp {
        /// The lane offset of a shuffle, or 0 if it is 32 or more.
        LaneOffset "lane_offset",
        /// `__shfl_sync` and the other shuffles, for a value of any type.
        Shuffle(shuffle: crate::ir::Shuffle) "shuffle" effect,
        /// A reduction over the lanes of a mask.
        Reduce(reduce: Reduce) "reduce" effect,
        /// The mask of the currently active lanes.
        ActiveMask "active_mask" effect,
        LaneId "lane_id",
        LaneMask(comparison: Comparison) "lanemask",
        /// Whether the fault record of the launch's stream is claimed. Never faults.
        HasFaulted "has_faulted" effect,
        /// A grid-wide barrier. Faults unless the launch is cooperative.
        SyncGrid "sync_grid" effect,
        /// A side effect in each iteration of a loop, without an instruction.
        Progress "progress" effect,
        /// A side effect in each iteration that is an instruction, for loops without any other side effect.
        KeepLoop "keep_loop" effect,
        /// A 16-bit `atomicCAS_system`, which CUDA does not provide.
        CompareExchangeSystem "cas_system" effect,
        Atomic(atomic: Atomic) "atomic" effect,
    }
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
