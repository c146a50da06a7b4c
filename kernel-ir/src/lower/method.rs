//! The methods of numbers and slices.
//!
//! Floats: CUDA's functions, which have the names of C's. Integers: helpers, since C has no functions for them.

use crate::ir::{ExprId, Method, Scalar, Span};
use crate::source::SiteKind;

use super::function::Lowering;
use super::value::Value;
use super::{Callee, Expr, Helper, Op, Operator};

impl Lowering<'_, '_> {
    /// `receiver.method(args)`
    pub(super) fn method(&mut self, method: Method, receiver: ExprId, args: &[ExprId], span: Span) -> Value {
        if let Method::Len | Method::IsEmpty = method {
            let receiver = match self.expr(receiver).kind {
                // A row of an array; there is nothing to read.
                crate::ir::ExprKind::Index { .. } => self.element(&mut Vec::new(), receiver),
                _ => self.value(receiver),
            };
            let len = match receiver {
                Value::Slice { len, .. } => len,
                Value::Array { lens, .. } => Expr::int(Scalar::Usize, lens.first().copied().unwrap_or(0)),
                _ => return Value::Never,
            };
            return match method {
                Method::IsEmpty => Value::bool(Expr::binary(Operator::Eq, len, Expr::int(Scalar::Usize, 0))),
                _ => Value::usize(len),
            };
        }
        let operands: Vec<ExprId> = [receiver].into_iter().chain(args.iter().copied()).collect();
        let mut values = Vec::with_capacity(operands.len());
        let mut scalar = None;
        for value in self.operands(&operands) {
            let Value::Scalar(expr, of) = value else { return Value::Never };
            scalar = scalar.or(Some(of));
            values.push(expr);
        }
        let Some(scalar) = scalar else { return Value::Never };
        if scalar.is_float() {
            self.float_method(method, scalar, values, span)
        } else {
            self.integer_method(method, scalar, values, span)
        }
    }

    fn float_method(&mut self, method: Method, scalar: Scalar, mut args: Vec<Expr>, span: Span) -> Value {
        use Method as M;
        if let Some((single, double)) = cuda_function(method) {
            let name = if scalar == Scalar::F32 { single } else { double };
            return Value::Scalar(Expr::Call(Callee::Builtin(name), args), scalar);
        }
        let helper = |op, args| Expr::helper(Helper::new(op, scalar), args);
        let expr = match method {
            M::Recip => Expr::binary(Operator::Div, float(scalar, 1.0), args.swap_remove(0)),
            M::Fract => helper(Op::Fract, args),
            M::Powi => helper(Op::Powi, args),
            M::Signum => helper(Op::Signum, args),
            M::RemEuclid => helper(Op::RemEuclid, args),
            M::DivEuclid => helper(Op::DivEuclid, args),
            M::ToDegrees | M::ToRadians => {
                let factor = Expr::Literal(scalar, angle_factor(method, scalar));
                Expr::binary(Operator::Mul, args.swap_remove(0), factor)
            }
            M::Clamp => self.clamp(scalar, args, "min > max, or either was NaN", span),
            M::IsNan => return Value::bool(helper(Op::IsNan, args)),
            M::IsInfinite => return Value::bool(helper(Op::IsInfinite, args)),
            M::IsFinite => return Value::bool(helper(Op::IsFinite, args)),
            M::IsSignNegative => return Value::bool(helper(Op::IsSignNegative, args)),
            M::IsSignPositive => return Value::bool(super::control::not(helper(Op::IsSignNegative, args))),
            M::ToBits if scalar == Scalar::F32 => {
                return Value::Scalar(Expr::Call(Callee::Builtin("__float_as_uint"), args), Scalar::U32);
            }
            M::ToBits => {
                let bits = Expr::Call(Callee::Builtin("__double_as_longlong"), args);
                return Value::Scalar(Expr::cast(Scalar::U64, bits), Scalar::U64);
            }
            // `typify` has refused what is not a method of a float.
            _ => return Value::Never,
        };
        Value::Scalar(expr, scalar)
    }

    fn integer_method(&mut self, method: Method, scalar: Scalar, mut args: Vec<Expr>, span: Span) -> Value {
        use Method as M;
        let checked = self.overflow_checks();
        let signed = scalar.is_signed();
        let helper = |op, args| Expr::helper(Helper::new(op, scalar), args);
        let expr = match method {
            M::Min => helper(Op::Min, args),
            M::Max => helper(Op::Max, args),
            M::Clamp => self.clamp(scalar, args, "min > max", span),
            M::Signum => helper(Op::Signum, args),
            M::Abs if checked => {
                let site = self.site(SiteKind::Overflow("attempt to negate with overflow"), span);
                Expr::faulting(Helper::new(Op::CheckedAbs, scalar), site, args)
            }
            M::Abs => helper(Op::Abs, args),
            M::Pow if checked => {
                let site = self.site(SiteKind::Overflow("attempt to multiply with overflow"), span);
                Expr::faulting(Helper::new(Op::CheckedPow, scalar), site, args)
            }
            M::Pow => helper(Op::Pow, args),
            M::RemEuclid | M::DivEuclid | M::DivCeil => {
                let (Some(right), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                let op = match method {
                    M::RemEuclid if signed => Op::RemEuclid,
                    M::RemEuclid => Op::Rem,
                    M::DivEuclid if signed => Op::DivEuclid,
                    M::DivEuclid => Op::Div,
                    _ => Op::DivCeil,
                };
                self.division(op, (left, right), scalar, span)
            }
            M::WrappingAdd | M::WrappingSub | M::WrappingMul => {
                let (Some(right), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                let op = match method {
                    M::WrappingAdd => Operator::Add,
                    M::WrappingSub => Operator::Sub,
                    _ => Operator::Mul,
                };
                super::arithmetic::wrapping(op, left, right, scalar)
            }
            M::WrappingNeg => super::arithmetic::wrapping_neg(args.swap_remove(0), scalar),
            M::SaturatingAdd => helper(Op::SaturatingAdd, args),
            M::SaturatingSub => helper(Op::SaturatingSub, args),
            M::RotateLeft => helper(Op::RotateLeft, args),
            M::RotateRight => helper(Op::RotateRight, args),
            M::SwapBytes if scalar.bits() == 8 => args.swap_remove(0),
            M::SwapBytes => helper(Op::SwapBytes, args),
            M::ReverseBits => helper(Op::ReverseBits, args),
            M::AbsDiff => return Value::Scalar(helper(Op::AbsDiff, args), scalar.to_unsigned()),
            M::UnsignedAbs => return Value::Scalar(helper(Op::UnsignedAbs, args), scalar.to_unsigned()),
            M::LeadingZeros => return Value::Scalar(helper(Op::LeadingZeros, args), Scalar::U32),
            M::TrailingZeros => return Value::Scalar(helper(Op::TrailingZeros, args), Scalar::U32),
            M::CountOnes => return Value::Scalar(helper(Op::CountOnes, args), Scalar::U32),
            M::CountZeros => {
                let ones = helper(Op::CountOnes, args);
                let width = Expr::int(Scalar::U32, scalar.bits().into());
                return Value::Scalar(Expr::binary(Operator::Sub, width, ones), Scalar::U32);
            }
            M::IsPowerOfTwo => {
                let ones = helper(Op::CountOnes, args);
                return Value::bool(Expr::binary(Operator::Eq, ones, Expr::int(Scalar::U32, 1)));
            }
            // `typify` has refused what is not a method of an integer.
            _ => return Value::Never,
        };
        Value::Scalar(expr, scalar)
    }

    /// `clamp`, whose bounds need no check where both are written out in order.
    fn clamp(&mut self, scalar: Scalar, args: Vec<Expr>, message: &str, span: Span) -> Expr {
        match args.as_slice() {
            [_, Expr::Literal(_, low), Expr::Literal(_, high)] if in_order(scalar, *low, *high) => {
                return Expr::helper(Helper::new(Op::ClampTo, scalar), args);
            }
            _ => {}
        }
        let site = self.site(SiteKind::Panic(message.to_owned()), span);
        Expr::faulting(Helper::new(Op::Clamp, scalar), site, args)
    }
}

/// Whether `low <= high`, of numbers by their bits.
fn in_order(scalar: Scalar, low: u64, high: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(low as u32) <= f32::from_bits(high as u32),
        Scalar::F64 => f64::from_bits(low) <= f64::from_bits(high),
        _ if scalar.is_signed() => {
            // The sign moves to the top bit of an i64.
            let widened = |bits: u64| (bits << (64 - scalar.bits())).cast_signed();
            widened(low) <= widened(high)
        }
        _ => low <= high,
    }
}

/// A float by its value.
fn float(scalar: Scalar, value: f32) -> Expr {
    let bits = if scalar == Scalar::F32 { u64::from(value.to_bits()) } else { f64::from(value).to_bits() };
    Expr::Literal(scalar, bits)
}

/// The factors of core's `to_degrees` and `to_radians`, which multiplies by them and rounds once.
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

/// CUDA's functions that are the methods of floats, for `f32` and for `f64` (CUDA Math API Reference, "Single Precision
/// Mathematical Functions" and "Double ..").
///
/// `fminf` and `fmaxf` give the number where one operand is NaN, and `roundf` goes away from zero, as Rust's do.
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
        M::Trunc => ("truncf", "trunc"),
        M::Copysign => ("copysignf", "copysign"),
        M::Abs => ("fabsf", "fabs"),
        M::Min => ("fminf", "fmin"),
        M::Max => ("fmaxf", "fmax"),
        M::Len
        | M::IsEmpty
        | M::Recip
        | M::Fract
        | M::Powi
        | M::Signum
        | M::RemEuclid
        | M::DivEuclid
        | M::ToDegrees
        | M::ToRadians
        | M::Clamp
        | M::IsNan
        | M::IsFinite
        | M::IsInfinite
        | M::IsSignPositive
        | M::IsSignNegative
        | M::ToBits
        | M::Pow
        | M::AbsDiff
        | M::UnsignedAbs
        | M::DivCeil
        | M::IsPowerOfTwo
        | M::WrappingAdd
        | M::WrappingSub
        | M::WrappingMul
        | M::WrappingNeg
        | M::SaturatingAdd
        | M::SaturatingSub
        | M::CountOnes
        | M::CountZeros
        | M::LeadingZeros
        | M::TrailingZeros
        | M::RotateLeft
        | M::RotateRight
        | M::SwapBytes
        | M::ReverseBits => return None,
    })
}
