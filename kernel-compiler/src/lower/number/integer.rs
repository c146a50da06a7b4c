//! Lowering of methods of integers to helpers, since C has no such functions.

use crate::ir::{BinaryOp, IntegerMethod, Scalar, Span};
use crate::source::SiteKind;

use crate::lower::function::Lowering;
use crate::lower::number::arithmetic::{narrowed, shift, wrapping, wrapping_neg};
use crate::lower::number::cast::cast;
use crate::lower::value::Value;
use crate::lower::{CType, Expr, Helper, Op, Operator, Prefix};

impl Lowering<'_, '_> {
    pub(in crate::lower) fn integer_method(
        &mut self,
        method: IntegerMethod,
        scalar: Scalar,
        mut args: Vec<Expr>,
        span: Span,
    ) -> Value {
        use IntegerMethod as M;
        let checked = self.overflow_checks();
        let signed = scalar.is_signed();
        let bits = u64::from(scalar.bits());
        let helper = |op, args| Expr::helper(Helper::new(op, scalar), args);
        let expr = match method {
            M::NextMultipleOf if checked => {
                let site = self.site(SiteKind::RemainderByZero, span);
                // The helper takes the first site; this is the following one.
                self.site(SiteKind::Overflow("attempt to add with overflow"), span);
                Expr::faulting(Helper::new(Op::CheckedNextMultipleOf, scalar), site, args)
            }
            M::NextMultipleOf => self.checked(Op::NextMultipleOf, SiteKind::RemainderByZero, scalar, args, span),
            M::DivCeil => {
                let (Some(right), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                self.division(Op::DivCeil, (left, right), scalar, span)
            }
            M::WrappingAdd | M::WrappingSub | M::WrappingMul => {
                let (Some(right), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                let op = match method {
                    M::WrappingAdd => Operator::Add,
                    M::WrappingSub => Operator::Sub,
                    _ => Operator::Mul,
                };
                wrapping(op, left, right, scalar)
            }
            M::WrappingAddSigned | M::WrappingAddUnsigned | M::WrappingSubUnsigned => {
                let (Some(right), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                let other = if signed { scalar.to_unsigned() } else { scalar.to_signed() };
                let op = if method == M::WrappingSubUnsigned { Operator::Sub } else { Operator::Add };
                wrapping(op, left, cast(right, other, scalar), scalar)
            }
            M::WrappingNeg => wrapping_neg(args.swap_remove(0), scalar),
            M::WrappingShl | M::WrappingShr => {
                let (Some(amount), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                shift(direction(method), left, masked(amount, bits), scalar)
            }
            M::UnboundedShl => helper(Op::UnboundedShl, args),
            M::UnboundedShr => helper(Op::UnboundedShr, args),
            M::SaturatingAdd => helper(Op::SaturatingAdd, args),
            M::SaturatingSub => helper(Op::SaturatingSub, args),
            M::SaturatingAddSigned | M::SaturatingAddUnsigned => helper(Op::SaturatingAddMixed, args),
            M::SaturatingSubUnsigned => helper(Op::SaturatingSubMixed, args),
            M::OverflowingAdd => return self.overflowing(Op::OverflowingAdd, scalar, args),
            M::OverflowingSub => return self.overflowing(Op::OverflowingSub, scalar, args),
            M::OverflowingMul => return self.overflowing(Op::OverflowingMul, scalar, args),
            M::OverflowingShl | M::OverflowingShr => {
                let (Some(amount), Some(left)) = (args.pop(), args.pop()) else { return Value::Never };
                let amount = self.reused("amount", amount, Scalar::U32);
                let overflows = Expr::binary(Operator::Ge, amount.clone(), Expr::int(Scalar::U32, bits));
                let result = shift(direction(method), left, masked(amount, bits), scalar);
                return Value::Parts(vec![Value::Scalar(result, scalar), Value::bool(overflows)]);
            }
            M::RotateLeft => helper(Op::RotateLeft, args),
            M::RotateRight => helper(Op::RotateRight, args),
            M::SwapBytes | M::ToBe | M::FromBe if bits == 8 => args.swap_remove(0),
            M::SwapBytes | M::ToBe | M::FromBe => helper(Op::SwapBytes, args),
            // Devices are little-endian, as are all hosts that CUDA supports.
            M::ToLe | M::FromLe => args.swap_remove(0),
            M::ReverseBits => helper(Op::ReverseBits, args),
            M::AbsDiff => return Value::Scalar(helper(Op::AbsDiff, args), scalar.to_unsigned()),
            M::UnsignedAbs => return Value::Scalar(helper(Op::UnsignedAbs, args), scalar.to_unsigned()),
            M::CastUnsigned => {
                let to = scalar.to_unsigned();
                return Value::Scalar(cast(args.swap_remove(0), scalar, to), to);
            }
            M::CastSigned => {
                let to = scalar.to_signed();
                return Value::Scalar(cast(args.swap_remove(0), scalar, to), to);
            }
            M::IsMultipleOf => return Value::bool(helper(Op::IsMultipleOf, args)),
            M::IsPositive | M::IsNegative => {
                let op = if method == M::IsPositive { BinaryOp::Gt } else { BinaryOp::Lt };
                let zero = (Expr::int(scalar, 0), scalar);
                return Value::bool(self.arithmetic(op, (args.swap_remove(0), scalar), zero, span));
            }
            M::LeadingZeros => return Value::Scalar(helper(Op::LeadingZeros, args), Scalar::U32),
            M::TrailingZeros => return Value::Scalar(helper(Op::TrailingZeros, args), Scalar::U32),
            M::CountOnes => return Value::Scalar(helper(Op::CountOnes, args), Scalar::U32),
            M::LeadingOnes | M::TrailingOnes => {
                let complement = narrowed(Expr::unary(Prefix::BitNot, args.swap_remove(0)), scalar);
                let op = if method == M::LeadingOnes { Op::LeadingZeros } else { Op::TrailingZeros };
                return Value::Scalar(helper(op, vec![complement]), Scalar::U32);
            }
            M::CountZeros => {
                let ones = helper(Op::CountOnes, args);
                let width = Expr::int(Scalar::U32, bits);
                return Value::Scalar(Expr::binary(Operator::Sub, width, ones), Scalar::U32);
            }
            M::IsPowerOfTwo => {
                let ones = helper(Op::CountOnes, args);
                return Value::bool(Expr::binary(Operator::Eq, ones, Expr::int(Scalar::U32, 1)));
            }
        };
        Value::Scalar(expr, scalar)
    }

    /// Returns the wrapped result, and whether it overflowed.
    fn overflowing(&mut self, op: Op, scalar: Scalar, mut args: Vec<Expr>) -> Value {
        let result = Expr::Var(self.temporary("result", scalar, None));
        args.push(result.clone());
        let overflows = self.constant("overflows", CType::BOOL, Expr::helper(Helper::new(op, scalar), args));
        Value::Parts(vec![Value::Scalar(result, scalar), Value::bool(overflows)])
    }
}

/// Returns the operator of a shift method.
fn direction(method: IntegerMethod) -> BinaryOp {
    match method {
        IntegerMethod::WrappingShl | IntegerMethod::OverflowingShl => BinaryOp::Shl,
        _ => BinaryOp::Shr,
    }
}

/// Returns the low-order bits of a shift amount, so that it is less than the width.
fn masked(amount: Expr, bits: u64) -> Expr {
    match amount {
        Expr::Literal(scalar, amount) => Expr::Literal(scalar, amount & (bits - 1)),
        amount => Expr::binary(Operator::And, amount, Expr::int(Scalar::U32, bits - 1)),
    }
}
