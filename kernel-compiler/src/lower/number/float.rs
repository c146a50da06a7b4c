//! Lowering of methods of floats to CUDA's functions, which have the names of C's.
//!
//! Operations that `f16` and `bf16` do not support are computed as `f32`, with an additional rounding of the result.

use crate::ir::{ClassMethod, FloatFunction, FloatMethod, Scalar};

use crate::lower::function::Lowering;
use crate::lower::number::cast::cast;
use crate::lower::value::Value;
use crate::lower::{CallTarget, Expr, Helper, Op, Operator, StmtKind};

impl Lowering<'_, '_> {
    /// Lowers a method that is a function of CUDA.
    pub(in crate::lower) fn float_function(&mut self, method: FloatFunction, scalar: Scalar, args: Vec<Expr>) -> Value {
        let helper = |op, args| Value::Scalar(Expr::helper(Helper::new(op, scalar), args), scalar);
        match method {
            FloatFunction::Copysign if scalar.is_half() => helper(Op::Copysign, args),
            FloatFunction::MulAdd if scalar.is_half() => helper(Op::MulAdd, args),
            _ => self.widened(scalar, args, |_, scalar, args| {
                let (single, double) = cuda_function(method);
                let name = if scalar == Scalar::F32 { single } else { double };
                Value::Scalar(Expr::Call(CallTarget::Builtin(name), args), scalar)
            }),
        }
    }

    /// Lowers a method that is composed of CUDA's operations.
    pub(in crate::lower) fn float_method(&mut self, method: FloatMethod, scalar: Scalar, args: Vec<Expr>) -> Value {
        self.widened(scalar, args, |this, scalar, mut args| {
            let expr = match method {
                FloatMethod::Recip => Expr::binary(Operator::Div, float(scalar, 1.0), args.swap_remove(0)),
                FloatMethod::Log => {
                    let ln = if scalar == Scalar::F32 { "logf" } else { "log" };
                    let mut logarithms = args.into_iter().map(|arg| Expr::Call(CallTarget::Builtin(ln), vec![arg]));
                    let (Some(number), Some(base)) = (logarithms.next(), logarithms.next()) else {
                        return Value::Never;
                    };
                    Expr::binary(Operator::Div, number, base)
                }
                FloatMethod::SinCos => {
                    return this.sin_cos(if scalar == Scalar::F32 { "sincosf" } else { "sincos" }, args, scalar);
                }
                FloatMethod::ToDegrees => {
                    Expr::binary(Operator::Mul, args.swap_remove(0), Expr::Literal(scalar, degrees_per_radian(scalar)))
                }
                FloatMethod::ToRadians => {
                    Expr::binary(Operator::Mul, args.swap_remove(0), Expr::Literal(scalar, radians_per_degree(scalar)))
                }
            };
            Value::Scalar(expr, scalar)
        })
    }

    /// Lowers a method for `f32` or `f64`. For `f16` and `bf16`, it is computed as `f32`.
    fn widened(
        &mut self,
        scalar: Scalar,
        args: Vec<Expr>,
        lower: impl FnOnce(&mut Self, Scalar, Vec<Expr>) -> Value,
    ) -> Value {
        if !scalar.is_half() {
            return lower(self, scalar, args);
        }
        let wide = args.into_iter().map(|arg| cast(arg, scalar, Scalar::F32)).collect();
        let narrow = |value| match value {
            Value::Scalar(expr, Scalar::F32) => Value::Scalar(cast(expr, Scalar::F32, scalar), scalar),
            other => other,
        };
        match lower(self, Scalar::F32, wide) {
            Value::Parts(parts) => Value::Parts(parts.into_iter().map(narrow).collect()),
            value => narrow(value),
        }
    }

    /// Lowers `sin_cos` and its variants to a CUDA function that stores both results through pointers.
    pub(in crate::lower) fn sin_cos(&mut self, function: &'static str, mut args: Vec<Expr>, scalar: Scalar) -> Value {
        let (sin, cos) = (self.temporary("sin", scalar, None), self.temporary("cos", scalar, None));
        args.extend([sin, cos].map(|var| Expr::AddressOf(Box::new(Expr::Var(var)))));
        self.push(StmtKind::Expr(Expr::Call(CallTarget::Outputs(function), args)));
        Value::Parts([sin, cos].map(|var| Value::Scalar(Expr::Var(var), scalar)).into())
    }
}

/// Returns a float literal.
fn float(scalar: Scalar, value: f32) -> Expr {
    let bits = if scalar == Scalar::F32 { u64::from(value.to_bits()) } else { f64::from(value).to_bits() };
    Expr::Literal(scalar, bits)
}

/// Lowers a predicate.
pub(in crate::lower) fn class(method: ClassMethod, scalar: Scalar, args: Vec<Expr>) -> Value {
    let helper = |op| Expr::helper(Helper::new(op, scalar), args);
    Value::bool(match method {
        ClassMethod::IsNan => helper(Op::IsNan),
        ClassMethod::IsInfinite => helper(Op::IsInfinite),
        ClassMethod::IsFinite => helper(Op::IsFinite),
        ClassMethod::IsNormal => helper(Op::IsNormal),
        ClassMethod::IsSignNegative => helper(Op::IsSignNegative),
        ClassMethod::IsSignPositive => crate::lower::control::not(helper(Op::IsSignNegative)),
    })
}

/// Returns the factor of core's `to_degrees`, which multiplies by it with a single rounding.
fn degrees_per_radian(scalar: Scalar) -> u64 {
    // core/src/num/f32.rs: "Use a constant for better precision": 180/π, rounded once.
    const PIS_IN_180: f32 = 57.295_779_513_082_320_876_798_154_814_105_1;
    if scalar == Scalar::F32 { PIS_IN_180.to_bits().into() } else { (180.0 / std::f64::consts::PI).to_bits() }
}

/// Returns the factor of core's `to_radians`.
fn radians_per_degree(scalar: Scalar) -> u64 {
    if scalar == Scalar::F32 {
        (std::f32::consts::PI / 180.0).to_bits().into()
    } else {
        (std::f64::consts::PI / 180.0).to_bits()
    }
}

/// Returns the CUDA functions that implement a method for `f32` and for `f64` (CUDA Math API Reference, "Single
/// Precision Mathematical Functions" and "Double ..").
///
/// `roundf` rounds half away from zero, as in Rust.
fn cuda_function(method: FloatFunction) -> (&'static str, &'static str) {
    use FloatFunction as M;
    match method {
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
        M::Rsqrt => ("rsqrtf", "rsqrt"),
        M::Erf => ("erff", "erf"),
        M::Erfc => ("erfcf", "erfc"),
        M::Sinpi => ("sinpif", "sinpi"),
        M::Cospi => ("cospif", "cospi"),
        M::Normcdf => ("normcdff", "normcdf"),
    }
}
