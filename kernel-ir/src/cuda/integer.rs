//! Helpers for integers, as templates for `prelude::fill`.

use crate::ir::Scalar;
use crate::lower::Op;

use super::{arithmetic, overflow};

/// Returns the template of a helper.
#[expect(clippy::too_many_lines, reason = "a table: most lines are names")]
pub(super) fn template(op: Op, scalar: Scalar) -> &'static str {
    let signed = scalar.is_signed();
    let wide = scalar.bits() == 64;
    match op {
        // `i` is in the range, so the distance to the end is positive, whatever the signs of the numbers.
        Op::Step => {
            "\
$T $name($T i, $T end, usize by) {
    return (u64)end - (u64)i > by ? ($T)((u64)i + by) : end;
}
"
        }
        Op::StepTo => {
            "\
bool $name($T& i, $T last, usize by) {
    if ((u64)last - (u64)i < by) return false;
    i = ($T)((u64)i + by);
    return true;
}
"
        }
        Op::StepDown => {
            "\
bool $name($T& i, $T last, usize by) {
    if ((u64)i - (u64)last < by) return false;
    i = ($T)((u64)i - by);
    return true;
}
"
        }
        Op::WrappingAdd => "$T $name($T a, $T b) { return ($T)(($W)a + ($W)b); }\n",
        Op::WrappingSub => "$T $name($T a, $T b) { return ($T)(($W)a - ($W)b); }\n",
        Op::WrappingMul => "$T $name($T a, $T b) { return ($T)(($W)a * ($W)b); }\n",
        Op::WrappingNeg => "$T $name($T a) { return ($T)(0 - ($W)a); }\n",
        Op::Add | Op::Sub | Op::Mul | Op::Neg => arithmetic::checked(op, signed, wide, scalar),
        Op::ShiftAmount => {
            "\
u32 $name(u64 amount, u32 width, $fault) {
    if (amount >= width) fault(launch, site, 0, 0);
    return (u32)amount;
}
"
        }
        Op::Div
        | Op::Rem
        | Op::DivCeil
        | Op::NextMultipleOf
        | Op::CheckedNextMultipleOf => arithmetic::division(op, signed),
        Op::IsMultipleOf => "bool $name($T a, $T b) { return b == 0 ? a == 0 : a % b == 0; }\n",
        Op::SaturatingAdd
        | Op::SaturatingSub
        | Op::SaturatingAddMixed
        | Op::SaturatingSubMixed => overflow::saturating(op, signed, wide),
        Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => overflow::overflowing(op, signed, wide, scalar),
        Op::Min | Op::Max | Op::Clamp | Op::ClampTo if scalar.bits() < 32 => narrow_min_max(op),
        Op::Min => "$T $name($T a, $T b) { return b < a ? b : a; }\n",
        Op::Max => "$T $name($T a, $T b) { return b < a ? a : b; }\n",
        Op::Clamp => {
            "\
$T $name($T x, $T low, $T high, $fault) {
    if (!(low <= high)) fault(launch, site, 0, 0);
    return x < low ? low : (x > high ? high : x);
}
"
        }
        Op::ClampTo => "$T $name($T x, $T low, $T high) { return x < low ? low : (x > high ? high : x); }\n",
        Op::Signum => "$T $name($T x) { return ($T)((x > 0) - (x < 0)); }\n",
        Op::Abs => "$T $name($T x) { return x < 0 ? ($T)(0 - ($W)x) : x; }\n",
        Op::CheckedAbs => {
            "\
$T $name($T x, $fault) {
    if (x == $min) fault(launch, site, 0, 0);
    return ($T)(x < 0 ? -x : x);
}
"
        }
        Op::AbsDiff => "$U $name($T a, $T b) { return ($U)(a < b ? ($W)b - ($W)a : ($W)a - ($W)b); }\n",
        Op::UnsignedAbs => "$U $name($T x) { return ($U)(x < 0 ? 0 - ($W)x : ($W)x); }\n",
        Op::UnboundedShl => "$T $name($T x, u32 by) { return by < $bits ? ($T)(($W)x << by) : ($T)0; }\n",
        // Signed numbers are filled with the sign bit.
        Op::UnboundedShr if signed => "$T $name($T x, u32 by) { return ($T)(x >> (by < $bits ? by : $bits - 1)); }\n",
        Op::UnboundedShr => "$T $name($T x, u32 by) { return by < $bits ? ($T)(x >> by) : ($T)0; }\n",
        Op::RotateLeft | Op::RotateRight | Op::SwapBytes | Op::ReverseBits => permutation(op, scalar),
        Op::LeadingZeros | Op::TrailingZeros | Op::CountOnes => count(op, scalar),
        // Used for floats only, or defined elsewhere.
        Op::At
        | Op::PartLen
        | Op::RestLen
        | Op::PartToLen
        | Op::Within
        | Op::Opaque
        | Op::DynamicSharedBytes
        | Op::DynamicSharedAt
        | Op::FloatTo(_)
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
        | Op::Shuffle(_)
        | Op::Reduce(_)
        | Op::ActiveMask
        | Op::LaneId
        | Op::LaneMask(_)
        | Op::SyncGrid
        | Op::Progress
        | Op::KeepLoop
        | Op::CompareExchangeSystem
        | Op::Atomic(_) => "",
    }
}

/// Minima and maxima of 8-bit and 16-bit integers, computed in 32 bits and such that NVRTC does not narrow them.
///
/// For `sm_90`, the assembler of CUDA 13.0 merges a 16-bit maximum and its comparison with the bound into one
/// instruction, and inverts the result of the comparison: `let v = x.max(-4); v == -4 || v == 17` is true where it
/// should be false, for an `x` of type `i8`. Observed on an H200.
fn narrow_min_max(op: Op) -> &'static str {
    match op {
        Op::Min => {
            "\
$T $name($T a, $T b) {
    int first = a;
    asm(\"\" : \"+r\"(first));
    return ($T)(b < first ? b : first);
}
"
        }
        Op::Max => {
            "\
$T $name($T a, $T b) {
    int first = a;
    asm(\"\" : \"+r\"(first));
    return ($T)(b < first ? first : b);
}
"
        }
        Op::Clamp => {
            "\
$T $name($T x, $T low, $T high, $fault) {
    if (!(low <= high)) fault(launch, site, 0, 0);
    int wide = x;
    asm(\"\" : \"+r\"(wide));
    return ($T)(wide < low ? low : (wide > high ? high : wide));
}
"
        }
        _ => {
            "\
$T $name($T x, $T low, $T high) {
    int wide = x;
    asm(\"\" : \"+r\"(wide));
    return ($T)(wide < low ? low : (wide > high ? high : wide));
}
"
        }
    }
}

/// An identity function that hides its argument from the optimiser, at no cost.
///
/// NVRTC 13.0 and 13.5 assume that a loop that may be left by `if (i < start) break;`, where `i` is a counter that
/// begins at `start` and increases, has a single iteration: `for (i = a; i < n; ++i) { if (i < a) break; s += x[i]; }`
/// adds one element. A comparison with an opaque counter has no such effect.
pub(super) fn opaque(scalar: Scalar) -> String {
    let (wide, constraint) = if scalar.bits() == 64 { ("u64", 'l') } else { ("u32", 'r') };
    format!(
        "\
$T $name($T x) {{
    {wide} seen = ({wide})x;
    asm(\"\" : \"+{constraint}\"(seen));
    return ($T)seen;
}}
"
    )
}

fn permutation(op: Op, scalar: Scalar) -> &'static str {
    match (op, scalar.bits()) {
        (Op::RotateLeft, _) => {
            "\
$T $name($T x, u32 by) {
    const $U bits = ($U)x;
    by &= $bits - 1;
    return ($T)(by == 0 ? bits : ($U)(bits << by | bits >> ($bits - by)));
}
"
        }
        (Op::RotateRight, _) => {
            "\
$T $name($T x, u32 by) {
    const $U bits = ($U)x;
    by &= $bits - 1;
    return ($T)(by == 0 ? bits : ($U)(bits >> by | bits << ($bits - by)));
}
"
        }
        (Op::SwapBytes, 16) => "$T $name($T x) { return ($T)(($U)x << 8 | ($U)x >> 8); }\n",
        (Op::SwapBytes, 32) => "$T $name($T x) { return ($T)__byte_perm((u32)x, 0u, 0x0123u); }\n",
        (Op::SwapBytes, _) => {
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

fn count(op: Op, scalar: Scalar) -> &'static str {
    match (op, scalar.bits()) {
        (Op::LeadingZeros, 64) => "u32 $name($T x) { return (u32)__clzll((i64)x); }\n",
        (Op::LeadingZeros, _) => "u32 $name($T x) { return (u32)__clz((i32)($U)x) - (32 - $bits); }\n",
        // `__clz(0)` is 32, so the count for zero is correct; for narrow types a bit above their width is set.
        (Op::TrailingZeros, 64) => "u32 $name($T x) { return (u32)__clzll((i64)__brevll((u64)x)); }\n",
        (Op::TrailingZeros, 32) => "u32 $name($T x) { return (u32)__clz((i32)__brev((u32)x)); }\n",
        (Op::TrailingZeros, _) => "u32 $name($T x) { return (u32)__clz((i32)__brev((u32)($U)x | 1u << $bits)); }\n",
        (_, 64) => "u32 $name($T x) { return (u32)__popcll((u64)x); }\n",
        _ => "u32 $name($T x) { return (u32)__popc((u32)($U)x); }\n",
    }
}
