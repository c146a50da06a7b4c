//! Helpers for floats, as templates for `prelude::fill`.

use crate::ir::{Fast, Scalar};
use crate::lower::{ClassOp, NumberOp};

use crate::cuda::literal;
use crate::cuda::prelude::arithmetic;

/// Bounds and signs.
pub(in crate::cuda) fn number(op: NumberOp, scalar: Scalar) -> &'static str {
    match op {
        NumberOp::Clamp => arithmetic::CLAMP,
        NumberOp::ClampTo => arithmetic::CLAMP_TO,
        NumberOp::Signum if scalar == Scalar::F32 => {
            "float $name(float x) { return x != x ? x : copysignf(1.0f, x); }\n"
        }
        NumberOp::Signum => "double $name(double x) { return x != x ? x : copysign(1.0, x); }\n",
    }
}

/// Classes of numbers.
pub(in crate::cuda) fn class(op: ClassOp, scalar: Scalar) -> &'static str {
    let single = scalar == Scalar::F32;
    match op {
        ClassOp::IsNan => "bool $name($T x) { return x != x; }\n",
        ClassOp::IsInfinite if single => "bool $name(float x) { return fabsf(x) == __int_as_float(0x7f800000); }\n",
        ClassOp::IsInfinite => {
            "bool $name(double x) { return fabs(x) == __longlong_as_double(0x7ff0000000000000ll); }\n"
        }
        ClassOp::IsFinite if single => "bool $name(float x) { return fabsf(x) < __int_as_float(0x7f800000); }\n",
        ClassOp::IsFinite => "bool $name(double x) { return fabs(x) < __longlong_as_double(0x7ff0000000000000ll); }\n",
        ClassOp::IsSignNegative if single => "bool $name(float x) { return __float_as_int(x) < 0; }\n",
        ClassOp::IsSignNegative => "bool $name(double x) { return __double_as_longlong(x) < 0; }\n",
        ClassOp::IsNormal if single => {
            "\
bool $name(float x) { return (__float_as_uint(x) & 0x7fffffffu) - 0x00800000u < 0x7f000000u; }
"
        }
        ClassOp::IsNormal => {
            "\
bool $name(double x) {
    const u64 magnitude = (u64)__double_as_longlong(x) & 0x7fffffffffffffffull;
    return magnitude - 0x0010000000000000ull < 0x7fe0000000000000ull;
}
"
        }
    }
}

/// The approximations that are a single instruction without a CUDA function (PTX ISA, "Floating Point Instructions").
/// `lower::intrinsic` calls the CUDA functions for the others.
pub(in crate::cuda) fn approximation(fast: Fast) -> &'static str {
    match fast {
        Fast::Rcp => {
            "\
float $name(float x) {
    float y;
    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));
    return y;
}
"
        }
        Fast::Sqrt => {
            "\
float $name(float x) {
    float y;
    asm(\"sqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));
    return y;
}
"
        }
        Fast::Rsqrt => {
            "\
float $name(float x) {
    float y;
    asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));
    return y;
}
"
        }
        Fast::Exp2 => {
            "\
float $name(float x) {
    float y;
    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));
    return y;
}
"
        }
        Fast::Tanh => {
            "\
float $name(float x) {
    float y;
    asm(\"tanh.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));
    return y;
}
"
        }
        Fast::Sin
        | Fast::Cos
        | Fast::Tan
        | Fast::SinCos
        | Fast::Exp
        | Fast::Exp10
        | Fast::Ln
        | Fast::Log2
        | Fast::Log10
        | Fast::Pow
        | Fast::Div => "",
    }
}

/// `as` from a float to an integer: NaN becomes 0, and values out of range become the nearest bound.
///
/// The bounds are powers of two, which every float type represents exactly; values between them are truncated.
pub(in crate::cuda) fn to_integer(from: Scalar, to: Scalar) -> String {
    let (min, max) = literal::limits(to);
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
        // The comparison with zero is false for NaN, too.
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
