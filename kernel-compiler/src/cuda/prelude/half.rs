//! `f16` and `bf16`: two bytes in memory, computed as `float` with a final rounding, like the crate `half`.
//!
//! CUDA's own types require a header, which would take longer to compile than the rest of the program. A hardware
//! operation on two `f16` yields the same result as the operation on `float` followed by a rounding (a `float` has more
//! than twice as many significant bits, so double rounding is innocuous); the suffix `.rn` prevents contraction with
//! another operation.

use crate::ir::Scalar;
use crate::lower::{CType, ClassOp, ExactOp, HalfOp, Helper, Module, NumberOp, Op, TypeKind};
use crate::set::Set;

use crate::cuda::prelude::arithmetic;

/// Returns the half types that occur in a program.
pub(in crate::cuda) fn used(module: &Module, helpers: &Set<Helper>) -> Set<Scalar> {
    let mut used = Set::new();
    let mut add = |ty: &CType| {
        let mut ty = ty;
        loop {
            match ty {
                CType::Scalar(scalar) => {
                    if scalar.is_half() {
                        used.insert(*scalar);
                    }
                    return;
                }
                CType::Named(_) => return,
                CType::Array(target, _) | CType::Pointer { target, .. } | CType::Reference { target, .. } => {
                    ty = target;
                }
            }
        }
    };
    for function in module.functions.values().chain([&module.kernel]) {
        function.vars.iter().for_each(|var| add(&var.ty));
        function.result.iter().for_each(&mut add);
    }
    for def in &module.types {
        match &def.kind {
            TypeKind::Struct { members, layout: _ } => members.iter().for_each(|member| add(&member.ty)),
            TypeKind::Enum { .. } => {}
        }
    }
    module.constants.iter().for_each(|constant| add(&constant.ty));
    for Helper { op, scalar } in helpers {
        add(&CType::Scalar(*scalar));
        if let Op::FloatTo(to) = op {
            add(&CType::Scalar(*to));
        }
    }
    used
}

/// Returns the definition of the type, its conversions to and from `float`, and its operators.
pub(in crate::cuda) fn core(half: Scalar) -> String {
    let (conversions, arithmetic) = match half {
        Scalar::F16 => (F16, F16_ARITHMETIC),
        _ => (BF16, BF16_ARITHMETIC),
    };
    [conversions, arithmetic, OPERATORS].concat().replace("$H", half.name())
}

const F16: &str = "
struct f16 {
    u16 bits;
};

static __device__ __forceinline__ float f16_to_f32(f16 x) {
    float y;
    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x.bits));
    return y;
}

static __device__ __forceinline__ f16 f32_to_f16(float x) {
    f16 y;
    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y.bits) : \"f\"(x));
    return y;
}
";

const F16_ARITHMETIC: &str = "
__device__ __forceinline__ f16 operator+(f16 a, f16 b) {
    f16 y;
    asm(\"add.rn.f16 %0, %1, %2;\" : \"=h\"(y.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return y;
}

__device__ __forceinline__ f16 operator-(f16 a, f16 b) {
    f16 y;
    asm(\"sub.rn.f16 %0, %1, %2;\" : \"=h\"(y.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return y;
}

__device__ __forceinline__ f16 operator*(f16 a, f16 b) {
    f16 y;
    asm(\"mul.rn.f16 %0, %1, %2;\" : \"=h\"(y.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return y;
}
";

/// Before `sm_80` there is no instruction: rounds to nearest, ties to even; NaN stays NaN.
const BF16: &str = "
struct bf16 {
    u16 bits;
};

static __device__ __forceinline__ float bf16_to_f32(bf16 x) {
    return __int_as_float((i32)((u32)x.bits << 16));
}

static __device__ __forceinline__ bf16 f32_to_bf16(float x) {
    bf16 y;
#if __CUDA_ARCH__ >= 800
    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(y.bits) : \"f\"(x));
#else
    const u32 bits = __float_as_uint(x);
    y.bits = (u16)(x != x ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
    return y;
}
";

const BF16_ARITHMETIC: &str = "
__device__ __forceinline__ bf16 operator+(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b)); }
__device__ __forceinline__ bf16 operator-(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) - bf16_to_f32(b)); }
__device__ __forceinline__ bf16 operator*(bf16 a, bf16 b) { return f32_to_bf16(bf16_to_f32(a) * bf16_to_f32(b)); }
";

/// Not `static`, since compilers warn about unused static functions.
const OPERATORS: &str = "\
__device__ __forceinline__ $H operator/($H a, $H b) { return f32_to_$H($H_to_f32(a) / $H_to_f32(b)); }
__device__ __forceinline__ $H operator%($H a, $H b) { return f32_to_$H(fmodf($H_to_f32(a), $H_to_f32(b))); }
__device__ __forceinline__ $H operator-($H a) { return $H{(u16)(a.bits ^ 0x8000)}; }
__device__ __forceinline__ $H& operator+=($H& a, $H b) { return a = a + b; }
__device__ __forceinline__ $H& operator-=($H& a, $H b) { return a = a - b; }
__device__ __forceinline__ $H& operator*=($H& a, $H b) { return a = a * b; }
__device__ __forceinline__ $H& operator/=($H& a, $H b) { return a = a / b; }
__device__ __forceinline__ $H& operator%=($H& a, $H b) { return a = a % b; }
__device__ __forceinline__ bool operator==($H a, $H b) { return $H_to_f32(a) == $H_to_f32(b); }
__device__ __forceinline__ bool operator!=($H a, $H b) { return $H_to_f32(a) != $H_to_f32(b); }
__device__ __forceinline__ bool operator<($H a, $H b) { return $H_to_f32(a) < $H_to_f32(b); }
__device__ __forceinline__ bool operator<=($H a, $H b) { return $H_to_f32(a) <= $H_to_f32(b); }
__device__ __forceinline__ bool operator>($H a, $H b) { return $H_to_f32(a) > $H_to_f32(b); }
__device__ __forceinline__ bool operator>=($H a, $H b) { return $H_to_f32(a) >= $H_to_f32(b); }
";

/// Minima, maxima and absolute values. NaN is ignored, as in the crate `half`.
pub(in crate::cuda) fn exact(op: ExactOp) -> &'static str {
    match op {
        ExactOp::Min => "$T $name($T a, $T b) { return a != a || b < a ? b : a; }\n",
        ExactOp::Max => "$T $name($T a, $T b) { return a != a || b > a ? b : a; }\n",
        ExactOp::Abs => "$T $name($T x) { return $T{(u16)(x.bits & 0x7fff)}; }\n",
    }
}

/// Bounds and signs.
pub(in crate::cuda) fn number(op: NumberOp, half: Scalar) -> String {
    let text = match op {
        NumberOp::Clamp => arithmetic::CLAMP,
        NumberOp::ClampTo => arithmetic::CLAMP_TO,
        NumberOp::Signum => {
            "$T $name($T x) { return (x.bits & 0x7fff) > $inf ? x : $T{(u16)((x.bits & 0x8000) | $one)}; }\n"
        }
    };
    with_constants(text, half)
}

/// Classes of numbers.
pub(in crate::cuda) fn class(op: ClassOp, half: Scalar) -> String {
    let text = match op {
        ClassOp::IsNan => "bool $name($T x) { return (x.bits & 0x7fff) > $inf; }\n",
        ClassOp::IsInfinite => "bool $name($T x) { return (x.bits & 0x7fff) == $inf; }\n",
        ClassOp::IsFinite => "bool $name($T x) { return (x.bits & 0x7fff) < $inf; }\n",
        ClassOp::IsNormal => "bool $name($T x) { return (x.bits & 0x7fff) >= $least && (x.bits & 0x7fff) < $inf; }\n",
        ClassOp::IsSignNegative => "bool $name($T x) { return (x.bits & 0x8000) != 0; }\n",
    };
    with_constants(text, half)
}

/// Replaces the bit pattern of infinity (`$inf`), of 1 (`$one`) and of the least normal number (`$least`).
fn with_constants(text: &str, half: Scalar) -> String {
    let (infinity, one, least) = match half {
        Scalar::F16 => ("0x7c00", "0x3c00", "0x0400"),
        _ => ("0x7f80", "0x3f80", "0x0080"),
    };
    text.replace("$inf", infinity).replace("$one", one).replace("$least", least)
}

/// Operations that larger floats lack, or have as a function of CUDA.
pub(in crate::cuda) fn template(op: HalfOp, half: Scalar) -> &'static str {
    match op {
        HalfOp::Copysign => "$T $name($T x, $T sign) { return $T{(u16)((x.bits & 0x7fff) | (sign.bits & 0x8000))}; }\n",
        HalfOp::ToBits => "u16 $name($T x) { return x.bits; }\n",
        HalfOp::FromBits => "$T $name(u16 bits) { return $T{bits}; }\n",
        HalfOp::MulAdd if half == Scalar::F16 => {
            "\
$T $name($T a, $T b, $T c) {
    $T y;
    asm(\"fma.rn.f16 %0, %1, %2, %3;\" : \"=h\"(y.bits) : \"h\"(a.bits), \"h\"(b.bits), \"h\"(c.bits));
    return y;
}
"
        }
        // The product is exact in `double`. If the sum is inexact, it is rounded to odd, so that the final rounding
        // yields the correctly rounded result (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
        HalfOp::MulAdd => {
            "\
$T $name($T a, $T b, $T c) {
#if __CUDA_ARCH__ >= 800
    $T y;
    asm(\"fma.rn.bf16 %0, %1, %2, %3;\" : \"=h\"(y.bits) : \"h\"(a.bits), \"h\"(b.bits), \"h\"(c.bits));
    return y;
#else
    const double product = (double)bf16_to_f32(a) * (double)bf16_to_f32(b);
    const double term = (double)bf16_to_f32(c);
    double sum = product + term;
    const double rounded = sum - product;
    const double error = (product - (sum - rounded)) + (term - rounded);
    i64 bits = __double_as_longlong(sum);
    if ((error > 0.0 || error < 0.0) && (bits & 1) == 0) {
        bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
        sum = __longlong_as_double(bits);
    }
    return f64_to_bf16(sum);
#endif
}
"
        }
    }
}

/// Returns a conversion to or from `f16` or `bf16`, other than the two in [`core()`]. The result is rounded once.
///
/// `lower::cast` converts by way of `f32` if that is exact, and also integers to `f16`, since those that `f32` cannot
/// represent become infinite.
pub(in crate::cuda) fn conversion(from: Scalar, to: Scalar) -> &'static str {
    match (from, to) {
        (Scalar::F64, Scalar::F16) => {
            "\
rt::f16 $name(double x) {
    rt::f16 y;
    asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(y.bits) : \"d\"(x));
    return y;
}
"
        }
        // Rounded to odd, so that the final rounding yields the correctly rounded result.
        (Scalar::F64, Scalar::Bf16) => {
            "\
rt::bf16 $name(double x) {
    float y = __double2float_rz(x);
    if ((double)y != x) y = __int_as_float(__float_as_int(y) | 1);
    return f32_to_bf16(y);
}
"
        }
        (Scalar::I32, Scalar::Bf16) => {
            "\
rt::bf16 $name(i32 x) {
    float y = __int2float_rz(x);
    if ((i32)y != x) y = __int_as_float(__float_as_int(y) | 1);
    return f32_to_bf16(y);
}
"
        }
        (Scalar::U32, Scalar::Bf16) => {
            "\
rt::bf16 $name(u32 x) {
    float y = __uint2float_rz(x);
    if ((u32)y != x) y = __int_as_float(__float_as_int(y) | 1);
    return f32_to_bf16(y);
}
"
        }
        (Scalar::I64, Scalar::Bf16) => {
            "\
rt::bf16 $name(i64 x) {
    float y = __ll2float_rz(x);
    if ((i64)y != x) y = __int_as_float(__float_as_int(y) | 1);
    return f32_to_bf16(y);
}
"
        }
        (Scalar::U64, Scalar::Bf16) => {
            "\
rt::bf16 $name(u64 x) {
    float y = __ull2float_rz(x);
    if ((u64)y != x) y = __int_as_float(__float_as_int(y) | 1);
    return f32_to_bf16(y);
}
"
        }
        // Defined in `core`, or unused.
        _ => "",
    }
}

/// Returns whether the conversion is one of the two in [`core()`].
pub(in crate::cuda) fn is_core(from: Scalar, to: Scalar) -> bool {
    matches!((from, to), (Scalar::F32, half) | (half, Scalar::F32) if half.is_half())
}
