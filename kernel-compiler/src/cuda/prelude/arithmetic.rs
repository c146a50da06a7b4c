//! Helpers for addition, subtraction, multiplication and division of integers, as templates for `prelude::fill`,
//! grouped by their behaviour on overflow.
//!
//! Types of up to 32 bits are computed in 64 bits where possible: the code is the same for all of them, and the
//! compiler optimises it well.

use crate::ir::Scalar;
use crate::lower::IntegerOp;

/// `clamp` of all numbers but narrow integers.
pub(in crate::cuda) const CLAMP: &str = "\
$T $name($T x, $T low, $T high, $fault) {
    if (!(low <= high)) fault(launch, site, 0, 0);
    return x < low ? low : (x > high ? high : x);
}
";

/// As [`CLAMP`], for bounds that are known to be ordered.
pub(in crate::cuda) const CLAMP_TO: &str =
    "$T $name($T x, $T low, $T high) { return x < low ? low : (x > high ? high : x); }\n";

/// Returns the template of `+`, `-`, `*` or unary minus with a fault on overflow.
pub(in crate::cuda) fn checked(op: IntegerOp, signed: bool, wide: bool, scalar: Scalar) -> &'static str {
    match (op, signed, wide) {
        (IntegerOp::Add, _, false) => {
            "\
$T $name($T a, $T b, $fault) {
    const i64 sum = (i64)a + (i64)b;
    if (sum != ($T)sum) fault(launch, site, 0, 0);
    return ($T)sum;
}
"
        }
        (IntegerOp::Sub, _, false) => {
            "\
$T $name($T a, $T b, $fault) {
    const i64 difference = (i64)a - (i64)b;
    if (difference != ($T)difference) fault(launch, site, 0, 0);
    return ($T)difference;
}
"
        }
        (IntegerOp::Mul, _, false) if scalar == Scalar::U32 => {
            "\
$T $name($T a, $T b, $fault) {
    const u64 product = (u64)a * (u64)b;
    if (product != ($T)product) fault(launch, site, 0, 0);
    return ($T)product;
}
"
        }
        (IntegerOp::Mul, _, false) => {
            "\
$T $name($T a, $T b, $fault) {
    const i64 product = (i64)a * (i64)b;
    if (product != ($T)product) fault(launch, site, 0, 0);
    return ($T)product;
}
"
        }
        // Not `sum < a`: see `lower::opaque`.
        (IntegerOp::Add, false, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b > ~a) fault(launch, site, 0, 0);
    return a + b;
}
"
        }
        // `a` may be a loop counter that starts at `b`: see `lower::opaque`.
        (IntegerOp::Sub, false, true) => {
            "\
$T $name($T a, $T b, $fault) {
    u64 seen = a;
    asm(\"\" : \"+l\"(seen));
    if (seen < b) fault(launch, site, 0, 0);
    return a - b;
}
"
        }
        (IntegerOp::Mul, false, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (__umul64hi(a, b) != 0) fault(launch, site, 0, 0);
    return a * b;
}
"
        }
        // The sum overflows if the signs of both operands differ from its own.
        (IntegerOp::Add, true, true) => {
            "\
$T $name($T a, $T b, $fault) {
    const $T sum = ($T)(($U)a + ($U)b);
    if (((a ^ sum) & (b ^ sum)) < 0) fault(launch, site, 0, 0);
    return sum;
}
"
        }
        (IntegerOp::Sub, true, true) => {
            "\
$T $name($T a, $T b, $fault) {
    const $T difference = ($T)(($U)a - ($U)b);
    if (((a ^ b) & (a ^ difference)) < 0) fault(launch, site, 0, 0);
    return difference;
}
"
        }
        // Without overflow, the upper half is the sign extension of the lower half.
        (IntegerOp::Mul, true, true) => {
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

/// Returns the template of a division. C truncates as Rust does; the cases that are undefined in C are faults here.
pub(in crate::cuda) fn division(op: IntegerOp, signed: bool) -> &'static str {
    match (op, signed) {
        (IntegerOp::Div, false) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    return ($T)(a / b);
}
"
        }
        (IntegerOp::Rem, false) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    return ($T)(a % b);
}
"
        }
        (IntegerOp::Div, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == $min && b == -1) fault(launch, site + 1, 0, 0);
    return ($T)(a / b);
}
"
        }
        (IntegerOp::Rem, true) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    if (a == $min && b == -1) fault(launch, site + 1, 0, 0);
    return ($T)(a % b);
}
"
        }
        (IntegerOp::NextMultipleOf, _) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    const $T rest = ($T)(a % b);
    return rest == 0 ? a : ($T)(a + (b - rest));
}
"
        }
        (IntegerOp::CheckedNextMultipleOf, _) => {
            "\
$T $name($T a, $T b, $fault) {
    if (b == 0) fault(launch, site, 0, 0);
    const $T rest = ($T)(a % b);
    if (rest == 0) return a;
    if (($T)(b - rest) > ($T)($max - a)) fault(launch, site + 1, 0, 0);
    return ($T)(a + (b - rest));
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
