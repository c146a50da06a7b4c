//! The helpers on integers, as templates for `prelude::fill`.
//!
//! Where types of up to 32 bits can be computed in 64, they are: it is the same code for all of them, and the compiler
//! sees through it.

use crate::ir::Scalar;
use crate::lower::Op;

/// The text of a helper.
pub(super) fn template(op: Op, scalar: Scalar) -> &'static str {
    let signed = scalar.is_signed();
    let wide = scalar.bits() == 64;
    match op {
        // `i` is inside the range, so the distance to the end is positive, whatever the sign of the numbers.
        Op::Step => {
            "\
$T $name($T i, $T end, usize by) {
    return (usize)end - (usize)i > by ? ($T)((usize)i + by) : end;
}
"
        }
        Op::StepTo => {
            "\
bool $name($T& i, $T last, usize by) {
    if ((usize)last - (usize)i < by) return false;
    i = ($T)((usize)i + by);
    return true;
}
"
        }
        Op::WrappingAdd => "$T $name($T a, $T b) { return ($T)(($W)a + ($W)b); }\n",
        Op::WrappingSub => "$T $name($T a, $T b) { return ($T)(($W)a - ($W)b); }\n",
        Op::WrappingMul => "$T $name($T a, $T b) { return ($T)(($W)a * ($W)b); }\n",
        Op::WrappingNeg => "$T $name($T a) { return ($T)(0 - ($W)a); }\n",
        Op::Add | Op::Sub | Op::Mul | Op::Neg => checked(op, signed, wide, scalar),
        Op::ShiftAmount => {
            "\
u32 $name(u64 amount, u32 width, $fault) {
    if (amount >= width) fault(launch, site, 0, 0);
    return (u32)amount;
}
"
        }
        Op::Div | Op::Rem | Op::DivEuclid | Op::RemEuclid | Op::DivCeil => division(op, signed),
        Op::SaturatingAdd | Op::SaturatingSub => saturating(op, signed, wide),
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
        Op::Pow | Op::CheckedPow => power(op),
        Op::RotateLeft | Op::RotateRight | Op::SwapBytes | Op::ReverseBits => permutation(op, scalar),
        Op::LeadingZeros | Op::TrailingZeros | Op::CountOnes => count(op, scalar),
        // Asked for floats only, or written by the prelude itself.
        Op::At
        | Op::Within
        | Op::Opaque
        | Op::DynamicSharedBytes
        | Op::DynamicSharedAt
        | Op::FloatTo(_)
        | Op::IsNan
        | Op::IsInfinite
        | Op::IsFinite
        | Op::IsSignNegative
        | Op::Powi
        | Op::Fract => "",
    }
}

/// A number as the compiler cannot recognise it, at no cost.
///
/// NVRTC 13.0 and 13.5 take a loop that may be left by `if (i < start) break;`, where `i` is a counter that begins at
/// `start` and grows, for one of a single turn: `for (i = a; i < n; ++i) { if (i < a) break; s += x[i]; }` adds one
/// element. A comparison with an opaque counter says nothing about the loop.
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

/// `+`, `-`, `*` and the minus sign, with overflow as a fault.
fn checked(op: Op, signed: bool, wide: bool, scalar: Scalar) -> &'static str {
    match (op, signed, wide) {
        (Op::Add, _, false) => {
            "\
$T $name($T a, $T b, $fault) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != ($T)sum) fault(launch, site, 0, 0);
    return ($T)sum;
}
"
        }
        (Op::Sub, _, false) => {
            "\
$T $name($T a, $T b, $fault) {
    const i64 difference = (i64)a - (i64)b;
    if (difference != ($T)difference) fault(launch, site, 0, 0);
    return ($T)difference;
}
"
        }
        (Op::Mul, _, false) if scalar == Scalar::U32 => {
            "\
$T $name($T a, $T b, $fault) {
    const u64 product = (u64)a * (u64)b;
    if (product != ($T)product) fault(launch, site, 0, 0);
    return ($T)product;
}
"
        }
        (Op::Mul, _, false) => {
            "\
$T $name($T a, $T b, $fault) {
    const i64 product = (i64)a * (i64)b;
    if (product != ($T)product) fault(launch, site, 0, 0);
    return ($T)product;
}
"
        }
        // Not `sum < a`: see `opaque`.
        (Op::Add, false, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}
"
        }
        // `a` may be a counter that starts at `b`: see `opaque`.
        (Op::Sub, false, true) => {
            "\
$T $name($T a, $T b, $fault) {
    u64 seen = a;
    asm(\"\" : \"+l\"(seen));
    if (seen < b) fault(launch, site, 0, 0);
    return a - b;
}
"
        }
        (Op::Mul, false, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}
"
        }
        // The sum overflows where both signs differ from its own.
        (Op::Add, true, true) => {
            "\
$T $name($T a, $T b, $fault) {
    const $T sum = ($T)(($U)a + ($U)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}
"
        }
        (Op::Sub, true, true) => {
            "\
$T $name($T a, $T b, $fault) {
    const $T difference = ($T)(($U)a - ($U)b);
    if (((a ^ b) & (a ^ difference)) < 0) fault(launch, site, 0, 0);
    return difference;
}
"
        }
        // The upper half is the sign of the lower half.
        (Op::Mul, true, true) => {
            "\
$T $name($T a, $T b, $fault) {
    const $T product = ($T)(($U)a * ($U)b);
    if (__mul64hi(a, b) != (product >> 63)) fault(launch, site, 0, 0);
    return product;
}
"
        }
        _ => {
            "\
$T $name($T a, $fault) {
    if (a == $min) fault(launch, site, 0, 0);
    return ($T)-a;
}
"
        }
    }
}

/// What divides. C truncates as Rust does, and leaves undefined what is a fault here.
fn division(op: Op, signed: bool) -> &'static str {
    match (op, signed) {
        (Op::Div, false) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    return ($T)(a / b);
}
"
        }
        (Op::Rem, false) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    return ($T)(a % b);
}
"
        }
        (Op::Div, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == $min && b == -1) fault(launch, site + 1, 0, 0);
    return ($T)(a / b);
}
"
        }
        (Op::Rem, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == $min && b == -1) fault(launch, site + 1, 0, 0);
    return ($T)(a % b);
}
"
        }
        (Op::DivEuclid, _) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == $min && b == -1) fault(launch, site + 1, 0, 0);
    const $T quotient = ($T)(a / b);
    if (a % b >= 0) return quotient;
    return ($T)(b > 0 ? quotient - 1 : quotient + 1);
}
"
        }
        (Op::RemEuclid, _) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == $min && b == -1) fault(launch, site + 1, 0, 0);
    const $T remainder = ($T)(a % b);
    if (remainder >= 0) return remainder;
    return ($T)(b < 0 ? remainder - b : remainder + b);
}
"
        }
        _ => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    return ($T)(a % b != 0 ? a / b + 1 : a / b);
}
"
        }
    }
}

fn saturating(op: Op, signed: bool, wide: bool) -> &'static str {
    match (op, signed, wide) {
        (Op::SaturatingAdd, false, _) => {
            "\
$T $name($T a, $T b) {
    const $T sum = ($T)(a + b);
    return sum < a ? $max : sum;
}
"
        }
        (_, false, _) => "$T $name($T a, $T b) { return ($T)(a < b ? 0 : a - b); }\n",
        (Op::SaturatingAdd, true, false) => {
            "\
$T $name($T a, $T b) {
    const i64 sum = (i64)a + (i64)b;
    return ($T)(sum < $min ? $min : (sum > $max ? $max : sum));
}
"
        }
        (_, true, false) => {
            "\
$T $name($T a, $T b) {
    const i64 difference = (i64)a - (i64)b;
    return ($T)(difference < $min ? $min : (difference > $max ? $max : difference));
}
"
        }
        (Op::SaturatingAdd, true, true) => {
            "\
$T $name($T a, $T b) {
    const $T sum = ($T)(($U)a + ($U)b);
    if (((a ^ sum) & (b ^ sum)) < 0) return a < 0 ? $min : $max;
    return sum;
}
"
        }
        (_, true, true) => {
            "\
$T $name($T a, $T b) {
    const $T difference = ($T)(($U)a - ($U)b);
    if (((a ^ b) & (a ^ difference)) < 0) return a < 0 ? $min : $max;
    return difference;
}
"
        }
    }
}

/// By squaring, as core does: the checked one multiplies no more often than that, so that it faults where core does.
fn power(op: Op) -> &'static str {
    match op {
        Op::Pow => {
            "\
$T $name($T base, u32 exponent) {
    $W power = 1;
    $W factor = ($W)base;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) power *= factor;
        factor *= factor;
    }
    return ($T)power;
}
"
        }
        _ => {
            "\
$T $name($T base, u32 exponent, $fault) {
    if (exponent == 0) return 1;
    $T power = 1;
    for (;;) {
        if (exponent & 1) {
            power = mul_$T(power, base, site, launch);
            if (exponent == 1) return power;
        }
        exponent >>= 1;
        base = mul_$T(base, base, site, launch);
    }
}
"
        }
    }
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
        // `__clz(0)` is 32, and so the count of a zero comes out right; narrow types get a bit above their own.
        (Op::TrailingZeros, 64) => "u32 $name($T x) { return (u32)__clzll((i64)__brevll((u64)x)); }\n",
        (Op::TrailingZeros, 32) => "u32 $name($T x) { return (u32)__clz((i32)__brev((u32)x)); }\n",
        (Op::TrailingZeros, _) => "u32 $name($T x) { return (u32)__clz((i32)__brev((u32)($U)x | 1u << $bits)); }\n",
        (_, 64) => "u32 $name($T x) { return (u32)__popcll((u64)x); }\n",
        _ => "u32 $name($T x) { return (u32)__popc((u32)($U)x); }\n",
    }
}
