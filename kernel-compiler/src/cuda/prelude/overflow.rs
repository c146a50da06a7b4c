//! Helpers for saturating and overflowing operations, as templates for `prelude::fill`.

use crate::ir::Scalar;
use crate::lower::IntegerOp;

/// Returns the template of a saturating product of unsigned numbers.
pub(in crate::cuda) fn saturating_mul(wide: bool) -> &'static str {
    if wide {
        "\
$T $name($T a, $T b) {
    return __umul64hi(a, b) != 0 ? $max : a * b;
}
"
    } else {
        "\
$T $name($T a, $T b) {
    const u64 product = (u64)a * b;
    return product > $max ? $max : ($T)product;
}
"
    }
}

/// Returns the template of a saturating sum or difference.
pub(in crate::cuda) fn saturating(op: IntegerOp, signed: bool, wide: bool) -> &'static str {
    match (op, signed, wide) {
        (IntegerOp::SaturatingAddMixed, false, false) => {
            "\
$T $name($T a, $S b) {
    const i64 sum = (i64)a + (i64)b;
    return ($T)(sum < 0 ? 0 : (sum > $max ? $max : sum));
}
"
        }
        (IntegerOp::SaturatingAddMixed, false, true) => {
            "\
$T $name($T a, $S b) {
    if (b < 0) return a < 0 - ($T)b ? 0 : a + ($T)b;
    return ($T)b > ~a ? $max : a + ($T)b;
}
"
        }
        (IntegerOp::SaturatingAddMixed, true, false) => {
            "\
$T $name($T a, $U b) {
    const i64 sum = (i64)a + (i64)b;
    return ($T)(sum > $max ? $max : sum);
}
"
        }
        (IntegerOp::SaturatingAddMixed, true, true) => {
            "\
$T $name($T a, $U b) {
    return b > ($U)$max - ($U)a ? $max : ($T)(($U)a + b);
}
"
        }
        (IntegerOp::SaturatingSubMixed, _, false) => {
            "\
$T $name($T a, $U b) {
    const i64 difference = (i64)a - (i64)b;
    return ($T)(difference < $min ? $min : difference);
}
"
        }
        (IntegerOp::SaturatingSubMixed, _, true) => {
            "\
$T $name($T a, $U b) {
    return b > ($U)a - ($U)$min ? $min : ($T)(($U)a - b);
}
"
        }
        (IntegerOp::SaturatingAdd, false, _) => {
            // Not `sum < a`: see `lower::opaque`.
            "\
$T $name($T a, $T b) {
    return a > ($T)~b ? $max : ($T)(a + b);
}
"
        }
        (_, false, _) => "$T $name($T a, $T b) { return ($T)(a < b ? 0 : a - b); }\n",
        (IntegerOp::SaturatingAdd, true, false) => {
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
        (IntegerOp::SaturatingAdd, true, true) => {
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

/// Returns the template of an operation that reports overflow. The last parameter receives the wrapped result.
pub(in crate::cuda) fn overflowing(op: IntegerOp, signed: bool, wide: bool, scalar: Scalar) -> &'static str {
    match (op, signed, wide) {
        (IntegerOp::OverflowingAdd, _, false) => {
            "\
bool $name($T a, $T b, $T& sum) {
    const i64 exact = (i64)a + (i64)b;
    sum = ($T)exact;
    return sum != exact;
}
"
        }
        (IntegerOp::OverflowingSub, _, false) => {
            "\
bool $name($T a, $T b, $T& difference) {
    const i64 exact = (i64)a - (i64)b;
    difference = ($T)exact;
    return difference != exact;
}
"
        }
        (IntegerOp::OverflowingMul, _, false) if scalar == Scalar::U32 => {
            "\
bool $name($T a, $T b, $T& product) {
    const u64 exact = (u64)a * (u64)b;
    product = ($T)exact;
    return product != exact;
}
"
        }
        (_, _, false) => {
            "\
bool $name($T a, $T b, $T& product) {
    const i64 exact = (i64)a * (i64)b;
    product = ($T)exact;
    return product != exact;
}
"
        }
        // Not `sum < a`: see `lower::opaque`.
        (IntegerOp::OverflowingAdd, false, true) => {
            "\
bool $name($T a, $T b, $T& sum) {
    sum = a + b;
    return b > ~a;
}
"
        }
        // `a` may be a loop counter that starts at `b`: see `lower::opaque`.
        (IntegerOp::OverflowingSub, false, true) => {
            "\
bool $name($T a, $T b, $T& difference) {
    u64 seen = a;
    asm(\"\" : \"+l\"(seen));
    difference = a - b;
    return seen < b;
}
"
        }
        (_, false, true) => {
            "\
bool $name($T a, $T b, $T& product) {
    const bool overflows = __umul64hi(a, b) != 0;
    product = a * b;
    return overflows;
}
"
        }
        (IntegerOp::OverflowingAdd, true, true) => {
            "\
bool $name($T a, $T b, $T& sum) {
    sum = ($T)(($U)a + ($U)b);
    return ((a ^ sum) & (b ^ sum)) < 0;
}
"
        }
        (IntegerOp::OverflowingSub, true, true) => {
            "\
bool $name($T a, $T b, $T& difference) {
    difference = ($T)(($U)a - ($U)b);
    return ((a ^ b) & (a ^ difference)) < 0;
}
"
        }
        (_, true, true) => {
            "\
bool $name($T a, $T b, $T& product) {
    const $T high = __mul64hi(a, b);
    product = ($T)(($U)a * ($U)b);
    return high != (product >> 63);
}
"
        }
    }
}
