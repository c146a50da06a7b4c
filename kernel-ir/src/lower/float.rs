//! Lowering of methods of floats to CUDA's functions, which have the names of C's.
//!
//! Operations that `f16` and `bf16` do not support are computed as `f32`, with an additional rounding of the result.

use crate::ir::{Method, Scalar, Span};

use super::cast::cast;
use super::function::Lowering;
use super::value::Value;
use super::{Callee, Expr, Helper, Op, Operator, StmtKind};

impl Lowering<'_, '_> {
    /// Lowers a method of `f16` or `bf16`.
    pub(super) fn half_method(&mut self, method: Method, half: Scalar, args: Vec<Expr>, span: Span) -> Value {
        use Method as M;
        let helper = |op, args| Expr::helper(Helper::new(op, half), args);
        let op = match method {
            M::Abs => Op::Abs,
            M::Signum => Op::Signum,
            M::Copysign => Op::Copysign,
            M::Min => Op::Min,
            M::Max => Op::Max,
            M::MulAdd => Op::MulAdd,
            M::Clamp => return Value::Scalar(self.clamp(half, args, "assertion failed: min <= max", span), half),
            M::IsNan => return Value::bool(helper(Op::IsNan, args)),
            M::IsInfinite => return Value::bool(helper(Op::IsInfinite, args)),
            M::IsFinite => return Value::bool(helper(Op::IsFinite, args)),
            M::IsNormal => return Value::bool(helper(Op::IsNormal, args)),
            M::IsSignNegative => return Value::bool(helper(Op::IsSignNegative, args)),
            M::IsSignPositive => return Value::bool(super::control::not(helper(Op::IsSignNegative, args))),
            // Computed as `f32`. All parameters are of the half type.
            _ => {
                let widened = args.into_iter().map(|arg| cast(arg, half, Scalar::F32)).collect();
                let narrow = |value| match value {
                    Value::Scalar(expr, Scalar::F32) => Value::Scalar(cast(expr, Scalar::F32, half), half),
                    other => other,
                };
                return match self.float_method(method, Scalar::F32, widened, span) {
                    Value::Parts(parts) => Value::Parts(parts.into_iter().map(narrow).collect()),
                    value => narrow(value),
                };
            }
        };
        Value::Scalar(helper(op, args), half)
    }

    /// Lowers a method of `f32` or `f64`.
    pub(super) fn float_method(&mut self, method: Method, scalar: Scalar, mut args: Vec<Expr>, span: Span) -> Value {
        use Method as M;
        if let Some((single, double)) = cuda_function(method) {
            let name = if scalar == Scalar::F32 { single } else { double };
            return Value::Scalar(Expr::Call(Callee::Builtin(name), args), scalar);
        }
        let helper = |op, args| Expr::helper(Helper::new(op, scalar), args);
        let expr = match method {
            M::Recip => Expr::binary(Operator::Div, float(scalar, 1.0), args.swap_remove(0)),
            M::Log => {
                let ln = if scalar == Scalar::F32 { "logf" } else { "log" };
                let mut logarithms = args.into_iter().map(|arg| Expr::Call(Callee::Builtin(ln), vec![arg]));
                let (Some(number), Some(base)) = (logarithms.next(), logarithms.next()) else { return Value::Never };
                Expr::binary(Operator::Div, number, base)
            }
            M::SinCos => return self.sin_cos(if scalar == Scalar::F32 { "sincosf" } else { "sincos" }, args, scalar),
            M::Signum => helper(Op::Signum, args),
            M::ToDegrees | M::ToRadians => {
                let factor = Expr::Literal(scalar, angle_factor(method, scalar));
                Expr::binary(Operator::Mul, args.swap_remove(0), factor)
            }
            M::Clamp => self.clamp(scalar, args, "min > max, or either was NaN", span),
            M::IsNan => return Value::bool(helper(Op::IsNan, args)),
            M::IsInfinite => return Value::bool(helper(Op::IsInfinite, args)),
            M::IsFinite => return Value::bool(helper(Op::IsFinite, args)),
            M::IsNormal => return Value::bool(helper(Op::IsNormal, args)),
            M::IsSignNegative => return Value::bool(helper(Op::IsSignNegative, args)),
            M::IsSignPositive => return Value::bool(super::control::not(helper(Op::IsSignNegative, args))),
            // `typify` has rejected methods that floats do not have.
            _ => return Value::Never,
        };
        Value::Scalar(expr, scalar)
    }

    /// Lowers `sin_cos` and its variants to a CUDA function that stores both results through pointers.
    pub(super) fn sin_cos(&mut self, function: &'static str, mut args: Vec<Expr>, scalar: Scalar) -> Value {
        let (sin, cos) = (self.temporary("sin", scalar, None), self.temporary("cos", scalar, None));
        args.extend([sin, cos].map(|var| Expr::AddressOf(Box::new(Expr::Var(var)))));
        self.push(StmtKind::Expr(Expr::Call(Callee::Effect(function), args)));
        Value::Parts([sin, cos].map(|var| Value::Scalar(Expr::Var(var), scalar)).into())
    }
}

/// Returns a float literal.
fn float(scalar: Scalar, value: f32) -> Expr {
    let bits = if scalar == Scalar::F32 { u64::from(value.to_bits()) } else { f64::from(value).to_bits() };
    Expr::Literal(scalar, bits)
}

/// Returns the factor of core's `to_degrees` and `to_radians`, which multiply by it with a single rounding.
fn angle_factor(method: Method, scalar: Scalar) -> u64 {
    // core/src/num/f32.rs: "Use a constant for better precision": 180/π, rounded once.
    const PIS_IN_180: f32 = 57.295_779_513_082_320_876_798_154_814_105_1;
    match (method, scalar) {
        (Method::ToDegrees, Scalar::F32) => PIS_IN_180.to_bits().into(),
        (Method::ToDegrees, _) => (180.0 / std::f64::consts::PI).to_bits(),
        (_, Scalar::F32) => (std::f32::consts::PI / 180.0).to_bits().into(),
        (_, _) => (std::f64::consts::PI / 180.0).to_bits(),
    }
}

/// Returns the CUDA functions that implement a method for `f32` and for `f64` (CUDA Math API Reference, "Single
/// Precision Mathematical Functions" and "Double ..").
///
/// `fminf` and `fmaxf` return the number if one operand is NaN, and `roundf` rounds half away from zero, as in Rust.
#[expect(clippy::too_many_lines, reason = "a table: most lines are names")]
fn cuda_function(method: Method) -> Option<(&'static str, &'static str)> {
    use Method as M;
    Some(match method {
        M::Sqrt => ("sqrtf", "sqrt"),
        M::Cbrt => ("cbrtf", "cbrt"),
        M::Exp => ("expf", "exp"),
        M::Exp2 => ("exp2f", "exp2"),
        M::ExpM1 => ("expm1f", "expm1"),
        M::Ln => ("logf", "log"),
        M::Ln1p => ("log1pf", "log1p"),
        M::Log2 => ("log2f", "log2"),
        M::Log10 => ("log10f", "log10"),
        M::Powf => ("powf", "pow"),
        M::Hypot => ("hypotf", "hypot"),
        M::MulAdd => ("fmaf", "fma"),
        M::Sin => ("sinf", "sin"),
        M::Cos => ("cosf", "cos"),
        M::Tan => ("tanf", "tan"),
        M::Asin => ("asinf", "asin"),
        M::Acos => ("acosf", "acos"),
        M::Atan => ("atanf", "atan"),
        M::Atan2 => ("atan2f", "atan2"),
        M::Sinh => ("sinhf", "sinh"),
        M::Cosh => ("coshf", "cosh"),
        M::Tanh => ("tanhf", "tanh"),
        M::Asinh => ("asinhf", "asinh"),
        M::Acosh => ("acoshf", "acosh"),
        M::Atanh => ("atanhf", "atanh"),
        M::Floor => ("floorf", "floor"),
        M::Ceil => ("ceilf", "ceil"),
        M::Round => ("roundf", "round"),
        M::RoundTiesEven => ("rintf", "rint"),
        M::Trunc => ("truncf", "trunc"),
        M::Copysign => ("copysignf", "copysign"),
        M::Abs => ("fabsf", "fabs"),
        M::Min => ("fminf", "fmin"),
        M::Max => ("fmaxf", "fmax"),
        M::Rsqrt => ("rsqrtf", "rsqrt"),
        M::Erf => ("erff", "erf"),
        M::Erfc => ("erfcf", "erfc"),
        M::Sinpi => ("sinpif", "sinpi"),
        M::Cospi => ("cospif", "cospi"),
        M::Normcdf => ("normcdff", "normcdf"),
        M::Clone
        | M::Len
        | M::IsEmpty
        | M::SplitAt
        | M::SplitAtMut
        | M::Nrows
        | M::Ncols
        | M::Shape
        | M::Dim
        | M::Row
        | M::RowMut
        | M::Column
        | M::ColumnMut
        | M::Plane
        | M::PlaneMut
        | M::Transposed
        | M::Log
        | M::Recip
        | M::SinCos
        | M::ToDegrees
        | M::ToRadians
        | M::IsNan
        | M::IsFinite
        | M::IsInfinite
        | M::IsNormal
        | M::IsSignPositive
        | M::IsSignNegative
        | M::ToBits
        | M::F32FromBits
        | M::F64FromBits
        | M::ToF32
        | M::ToF64
        | M::F16FromBits
        | M::F16FromF32
        | M::F16FromF64
        | M::Bf16FromBits
        | M::Bf16FromF32
        | M::Bf16FromF64
        | M::Signum
        | M::Clamp
        | M::AbsDiff
        | M::UnsignedAbs
        | M::DivCeil
        | M::NextMultipleOf
        | M::IsMultipleOf
        | M::IsPowerOfTwo
        | M::IsPositive
        | M::IsNegative
        | M::CastSigned
        | M::CastUnsigned
        | M::WrappingAdd
        | M::WrappingSub
        | M::WrappingMul
        | M::WrappingNeg
        | M::WrappingShl
        | M::WrappingShr
        | M::WrappingAddSigned
        | M::WrappingAddUnsigned
        | M::WrappingSubUnsigned
        | M::SaturatingAdd
        | M::SaturatingSub
        | M::SaturatingAddSigned
        | M::SaturatingAddUnsigned
        | M::SaturatingSubUnsigned
        | M::OverflowingAdd
        | M::OverflowingSub
        | M::OverflowingMul
        | M::OverflowingShl
        | M::OverflowingShr
        | M::UnboundedShl
        | M::UnboundedShr
        | M::CountOnes
        | M::CountZeros
        | M::LeadingZeros
        | M::LeadingOnes
        | M::TrailingZeros
        | M::TrailingOnes
        | M::RotateLeft
        | M::RotateRight
        | M::SwapBytes
        | M::ReverseBits
        | M::ToBe
        | M::ToLe
        | M::FromBe
        | M::FromLe => return None,
    })
}
