//! Helpers for integers, as templates for `prelude::fill`.

use std::borrow::Cow;

use crate::ir::Scalar;
use crate::lower::{ExactOp, IntegerOp, NumberOp};

use crate::cuda::prelude::{arithmetic, overflow};

/// Returns the template of a helper.
pub(in crate::cuda) fn template(op: IntegerOp, scalar: Scalar) -> Cow<'static, str> {
    let signed = scalar.is_signed();
    let wide = scalar.bits() == 64;
    match op {
        // `i` is in the range, so the distance to the end is positive, whatever the signs of the numbers.
        IntegerOp::Step => {
            "\
$T $name($T i, $T end, usize by) {
    return (u64)end - (u64)i > by ? ($T)((u64)i + by) : end;
}
"
        }
        IntegerOp::StepTo => {
            "\
bool $name($T& i, $T last, usize by) {
    if ((u64)last - (u64)i < by) return false;
    i = ($T)((u64)i + by);
    return true;
}
"
        }
        IntegerOp::StepDown => {
            "\
bool $name($T& i, $T last, usize by) {
    if ((u64)i - (u64)last < by) return false;
    i = ($T)((u64)i - by);
    return true;
}
"
        }
        IntegerOp::WrappingAdd => "$T $name($T a, $T b) { return ($T)(($W)a + ($W)b); }\n",
        IntegerOp::WrappingSub => "$T $name($T a, $T b) { return ($T)(($W)a - ($W)b); }\n",
        IntegerOp::WrappingMul => "$T $name($T a, $T b) { return ($T)(($W)a * ($W)b); }\n",
        IntegerOp::WrappingNeg => "$T $name($T a) { return ($T)(0 - ($W)a); }\n",
        IntegerOp::Add | IntegerOp::Sub | IntegerOp::Mul | IntegerOp::Neg => {
            arithmetic::checked(op, signed, wide, scalar)
        }
        IntegerOp::Div
        | IntegerOp::Rem
        | IntegerOp::DivCeil
        | IntegerOp::NextMultipleOf
        | IntegerOp::CheckedNextMultipleOf => arithmetic::division(op, signed),
        IntegerOp::IsMultipleOf => "bool $name($T a, $T b) { return b == 0 ? a == 0 : a % b == 0; }\n",
        IntegerOp::SaturatingAdd
        | IntegerOp::SaturatingSub
        | IntegerOp::SaturatingAddMixed
        | IntegerOp::SaturatingSubMixed => overflow::saturating(op, signed, wide),
        IntegerOp::SaturatingMul => overflow::saturating_mul(wide),
        IntegerOp::OverflowingAdd | IntegerOp::OverflowingSub | IntegerOp::OverflowingMul => {
            overflow::overflowing(op, signed, wide, scalar)
        }
        IntegerOp::CheckedAbs => {
            "\
$T $name($T x, $fault) {
    if (x == $min) fault(launch, site, 0, 0);
    return ($T)(x < 0 ? -x : x);
}
"
        }
        IntegerOp::AbsDiff => "$U $name($T a, $T b) { return ($U)(a < b ? ($W)b - ($W)a : ($W)a - ($W)b); }\n",
        IntegerOp::UnsignedAbs => "$U $name($T x) { return ($U)(x < 0 ? 0 - ($W)x : ($W)x); }\n",
        IntegerOp::UnboundedShl => "$T $name($T x, u32 by) { return by < $bits ? ($T)(($W)x << by) : ($T)0; }\n",
        // Signed numbers are filled with the sign bit.
        IntegerOp::UnboundedShr if signed => {
            "$T $name($T x, u32 by) { return ($T)(x >> (by < $bits ? by : $bits - 1)); }\n"
        }
        IntegerOp::UnboundedShr => "$T $name($T x, u32 by) { return by < $bits ? ($T)(x >> by) : ($T)0; }\n",
        IntegerOp::RotateLeft | IntegerOp::RotateRight | IntegerOp::SwapBytes | IntegerOp::ReverseBits => {
            permutation(op, scalar)
        }
        IntegerOp::LeadingZeros | IntegerOp::TrailingZeros | IntegerOp::CountOnes => count(op, scalar),
    }
    .into()
}

/// Minima, maxima and absolute values.
///
/// Minima, maxima and `clamp` of 8-bit and 16-bit integers are computed in 32 bits and such that NVRTC does not narrow
/// them. For `sm_90`, the assembler of CUDA 13.0 merges a 16-bit maximum and its comparison with the bound into one
/// instruction, and inverts the result of the comparison: `let v = x.max(-4); v == -4 || v == 17` is true where it
/// should be false, for an `x` of type `i8`. Observed on an H200.
pub(in crate::cuda) fn exact(op: ExactOp, scalar: Scalar) -> &'static str {
    let narrow = scalar.bits() < 32;
    match op {
        ExactOp::Min if narrow => {
            "\
$T $name($T a, $T b) {
    int first = a;
    asm(\"\" : \"+r\"(first));
    return ($T)(b < first ? b : first);
}
"
        }
        ExactOp::Max if narrow => {
            "\
$T $name($T a, $T b) {
    int first = a;
    asm(\"\" : \"+r\"(first));
    return ($T)(b < first ? first : b);
}
"
        }
        ExactOp::Min => "$T $name($T a, $T b) { return b < a ? b : a; }\n",
        ExactOp::Max => "$T $name($T a, $T b) { return b < a ? a : b; }\n",
        ExactOp::Abs => "$T $name($T x) { return x < 0 ? ($T)(0 - ($W)x) : x; }\n",
    }
}

/// Bounds, as in [`exact`], and signs.
pub(in crate::cuda) fn number(op: NumberOp, scalar: Scalar) -> &'static str {
    let narrow = scalar.bits() < 32;
    match op {
        NumberOp::Clamp if narrow => {
            "\
$T $name($T x, $T low, $T high, $fault) {
    if (!(low <= high)) fault(launch, site, 0, 0);
    int wide = x;
    asm(\"\" : \"+r\"(wide));
    return ($T)(wide < low ? low : (wide > high ? high : wide));
}
"
        }
        NumberOp::ClampTo if narrow => {
            "\
$T $name($T x, $T low, $T high) {
    int wide = x;
    asm(\"\" : \"+r\"(wide));
    return ($T)(wide < low ? low : (wide > high ? high : wide));
}
"
        }
        NumberOp::Clamp => arithmetic::CLAMP,
        NumberOp::ClampTo => arithmetic::CLAMP_TO,
        NumberOp::Signum => "$T $name($T x) { return ($T)((x > 0) - (x < 0)); }\n",
    }
}

fn permutation(op: IntegerOp, scalar: Scalar) -> &'static str {
    match (op, scalar.bits()) {
        (IntegerOp::RotateLeft, _) => {
            "\
$T $name($T x, u32 by) {
    const $U bits = ($U)x;
    by &= $bits - 1;
    return ($T)(by == 0 ? bits : ($U)(bits << by | bits >> ($bits - by)));
}
"
        }
        (IntegerOp::RotateRight, _) => {
            "\
$T $name($T x, u32 by) {
    const $U bits = ($U)x;
    by &= $bits - 1;
    return ($T)(by == 0 ? bits : ($U)(bits >> by | bits << ($bits - by)));
}
"
        }
        (IntegerOp::SwapBytes, 16) => "$T $name($T x) { return ($T)(($U)x << 8 | ($U)x >> 8); }\n",
        (IntegerOp::SwapBytes, 32) => "$T $name($T x) { return ($T)__byte_perm((u32)x, 0u, 0x0123u); }\n",
        (IntegerOp::SwapBytes, _) => {
            "\
$T $name($T x) {
    const u32 low = __byte_perm((u32)x, 0u, 0x0123u);
    const u32 high = __byte_perm((u32)((u64)x >> 32), 0u, 0x0123u);
    return ($T)((u64)low << 32 | high);
}
"
        }
        (_, 64) => "$T $name($T x) { return ($T)__brevll((u64)x); }\n",
        _ => "$T $name($T x) { return ($T)(__brev((u32)($U)x) >> (32 - $bits)); }\n",
    }
}

fn count(op: IntegerOp, scalar: Scalar) -> &'static str {
    match (op, scalar.bits()) {
        (IntegerOp::LeadingZeros, 64) => "u32 $name($T x) { return (u32)__clzll((i64)x); }\n",
        (IntegerOp::LeadingZeros, _) => "u32 $name($T x) { return (u32)__clz((i32)($U)x) - (32 - $bits); }\n",
        // `__clz(0)` is 32, so the count for zero is correct; for narrow types a bit above their width is set.
        (IntegerOp::TrailingZeros, 64) => "u32 $name($T x) { return (u32)__clzll((i64)__brevll((u64)x)); }\n",
        (IntegerOp::TrailingZeros, 32) => "u32 $name($T x) { return (u32)__clz((i32)__brev((u32)x)); }\n",
        (IntegerOp::TrailingZeros, _) => {
            "u32 $name($T x) { return (u32)__clz((i32)__brev((u32)($U)x | 1u << $bits)); }\n"
        }
        (_, 64) => "u32 $name($T x) { return (u32)__popcll((u64)x); }\n",
        _ => "u32 $name($T x) { return (u32)__popc((u32)($U)x); }\n",
    }
}
