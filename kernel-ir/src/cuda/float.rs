//! The helpers on floats, as templates for `prelude::fill`.

use crate::ir::Scalar;
use crate::lower::Op;

use super::{literal, prelude};

/// The text of a helper.
#[expect(clippy::too_many_lines, reason = "a table: most lines are the texts")]
pub(super) fn template(op: Op, scalar: Scalar) -> &'static str {
    let single = scalar == Scalar::F32;
    match op {
        Op::Clamp => {
            "\
$T $name($T x, $T low, $T high, $fault) {
    if (!(low <= high)) fault(launch, site, 0, 0);
    return x < low ? low : (x > high ? high : x);
}
"
        }
        Op::ClampTo => "$T $name($T x, $T low, $T high) { return x < low ? low : (x > high ? high : x); }\n",
        Op::Signum if single => "float $name(float x) { return x != x ? x : copysignf(1.0f, x); }\n",
        Op::Signum => "double $name(double x) { return x != x ? x : copysign(1.0, x); }\n",
        Op::RemEuclid if single => {
            "\
float $name(float a, float b) {
    const float remainder = fmodf(a, b);
    return remainder < 0.0f ? remainder + fabsf(b) : remainder;
}
"
        }
        Op::RemEuclid => {
            "\
double $name(double a, double b) {
    const double remainder = fmod(a, b);
    return remainder < 0.0 ? remainder + fabs(b) : remainder;
}
"
        }
        Op::DivEuclid if single => {
            "\
float $name(float a, float b) {
    const float quotient = truncf(a / b);
    if (!(fmodf(a, b) < 0.0f)) return quotient;
    return b > 0.0f ? quotient - 1.0f : quotient + 1.0f;
}
"
        }
        Op::DivEuclid => {
            "\
double $name(double a, double b) {
    const double quotient = trunc(a / b);
    if (!(fmod(a, b) < 0.0)) return quotient;
    return b > 0.0 ? quotient - 1.0 : quotient + 1.0;
}
"
        }
        Op::IsNan => "bool $name($T x) { return x != x; }\n",
        Op::IsInfinite if single => "bool $name(float x) { return fabsf(x) == __int_as_float(0x7f800000); }\n",
        Op::IsInfinite => "bool $name(double x) { return fabs(x) == __longlong_as_double(0x7ff0000000000000ll); }\n",
        Op::IsFinite if single => "bool $name(float x) { return fabsf(x) < __int_as_float(0x7f800000); }\n",
        Op::IsFinite => "bool $name(double x) { return fabs(x) < __longlong_as_double(0x7ff0000000000000ll); }\n",
        Op::IsSignNegative if single => "bool $name(float x) { return __float_as_int(x) < 0; }\n",
        Op::IsSignNegative => "bool $name(double x) { return __double_as_longlong(x) < 0; }\n",
        // The order of products of compiler-rt's `__powisf2`, which Rust calls on the CPU: the same roundings.
        Op::Powi => {
            "\
$T $name($T x, i32 n) {
    u32 exponent = n < 0 ? 0u - (u32)n : (u32)n;
    $T power = 1;
    for (;;) {
        if (exponent & 1) power *= x;
        exponent >>= 1;
        if (exponent == 0) break;
        x *= x;
    }
    return n < 0 ? 1 / power : power;
}
"
        }
        Op::Fract if single => "float $name(float x) { return x - truncf(x); }\n",
        Op::Fract => "double $name(double x) { return x - trunc(x); }\n",
        // Asked for integers only, or written elsewhere.
        Op::At
        | Op::Within
        | Op::Opaque
        | Op::DynamicSharedBytes
        | Op::DynamicSharedAt
        | Op::Step
        | Op::StepTo
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
        | Op::Abs
        | Op::CheckedAbs
        | Op::AbsDiff
        | Op::UnsignedAbs
        | Op::Pow
        | Op::CheckedPow
        | Op::DivCeil
        | Op::RotateLeft
        | Op::RotateRight
        | Op::SwapBytes
        | Op::ReverseBits
        | Op::LeadingZeros
        | Op::TrailingZeros
        | Op::CountOnes => "",
    }
}

/// `as` from a float to an integer: NaN gives 0, and what is outside gives the nearest end.
///
/// The bounds are powers of two, which every float has exactly; what lies between them is truncated into the type.
pub(super) fn to_integer(from: Scalar, to: Scalar) -> String {
    let (min, max) = prelude::limits(to);
    let to_name = literal::type_name(to);
    let power = |exponent: u32| match from {
        Scalar::F32 => literal::number(from, u64::from(2f32.powi(exponent.cast_signed()).to_bits())),
        _ => literal::number(from, 2f64.powi(exponent.cast_signed()).to_bits()),
    };
    if to.is_signed() {
        let high = power(to.bits() - 1);
        format!(
            "\
{to_name} $name($T x) {{
    if (x != x) return 0;
    if (x <= -{high}) return {min};
    if (x >= {high}) return {max};
    return ({to_name})x;
}}
"
        )
    } else {
        // NaN is not above zero either.
        let (zero, high) = (literal::number(from, 0), power(to.bits()));
        format!(
            "\
{to_name} $name($T x) {{
    if (!(x > {zero})) return 0;
    if (x >= {high}) return {max};
    return ({to_name})x;
}}
"
        )
    }
}
