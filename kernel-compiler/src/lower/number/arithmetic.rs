//! Lowering of Rust's arithmetic operators.
//!
//! C computes in `int` or wider types, and overflow of signed types is undefined behaviour. Rust computes in the
//! operand type, and wraps or faults, depending on the profile. So narrow results are cast back, signed arithmetic is
//! performed in unsigned types (in helpers, where it would clutter the text), and overflow checks are helpers.

use crate::ir::{BinaryOp, Scalar, Span};
use crate::source::SiteKind;

use crate::lower::control::operator;
use crate::lower::function::Lowering;
use crate::lower::{CallTarget, Expr, Helper, Op, Operator, Prefix};

impl Lowering<'_, '_> {
    /// `left op right`
    pub(in crate::lower) fn arithmetic(
        &mut self,
        op: BinaryOp,
        (left, scalar): (Expr, Scalar),
        (right, right_scalar): (Expr, Scalar),
        span: Span,
    ) -> Expr {
        match op {
            // `f16` and `bf16` have overloaded operators in the prelude.
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => match scalar {
                _ if scalar.is_float() => Expr::binary(operator(op), left, right),
                _ if self.overflow_checks() => {
                    let (helper, text) = match op {
                        BinaryOp::Add => (Op::Add, "attempt to add with overflow"),
                        BinaryOp::Sub => (Op::Sub, "attempt to subtract with overflow"),
                        _ => (Op::Mul, "attempt to multiply with overflow"),
                    };
                    let site = self.site(SiteKind::Overflow(text), span);
                    Expr::faulting(Helper::new(helper, scalar), site, vec![left, right])
                }
                _ => wrapping(operator(op), left, right, scalar),
            },
            BinaryOp::Div => match scalar {
                _ if scalar.is_float() => Expr::binary(Operator::Div, left, right),
                _ => self.division(Op::Div, (left, right), scalar, span),
            },
            BinaryOp::Rem => match scalar {
                Scalar::F32 => Expr::Call(CallTarget::Builtin("fmodf"), vec![left, right]),
                Scalar::F64 => Expr::Call(CallTarget::Builtin("fmod"), vec![left, right]),
                Scalar::F16 | Scalar::Bf16 => Expr::binary(Operator::Rem, left, right),
                _ => self.division(Op::Rem, (left, right), scalar, span),
            },
            // Narrow operands are sign-extended or zero-extended, and so is the result.
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Eq | BinaryOp::Ne => {
                Expr::binary(operator(op), left, right)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount = self.shift_amount(op, right, right_scalar, scalar.bits(), span);
                shift(op, left, amount, scalar)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Expr::binary(operator(op), left, right),
        }
    }

    /// `/` and `%`, and the related methods. Division by zero is a fault in every profile, and so is the minimum
    /// divided by -1.
    pub(in crate::lower) fn division(
        &mut self,
        op: Op,
        (left, right): (Expr, Expr),
        scalar: Scalar,
        span: Span,
    ) -> Expr {
        if let (Op::Div | Op::Rem, Expr::Literal(_, bits)) = (op, &right) {
            let minus_one = u64::MAX >> (64 - scalar.bits());
            if *bits != 0 && !(scalar.is_signed() && *bits == minus_one) {
                let c = if op == Op::Div { Operator::Div } else { Operator::Rem };
                return Expr::binary(c, left, right);
            }
        }
        let remainder = op == Op::Rem;
        let zero = if remainder { SiteKind::RemainderByZero } else { SiteKind::DivisionByZero };
        let site = self.site(zero, span);
        if scalar.is_signed() {
            let text = if remainder {
                "attempt to calculate the remainder with overflow"
            } else {
                "attempt to divide with overflow"
            };
            // The helper takes the first site; this is the following one.
            self.site(SiteKind::Overflow(text), span);
        }
        Expr::faulting(Helper::new(op, scalar), site, vec![left, right])
    }

    /// Returns a shift amount that is less than the width: checked, or masked.
    fn shift_amount(&mut self, op: BinaryOp, amount: Expr, scalar: Scalar, width: u32, span: Span) -> Expr {
        let mask = u64::from(width - 1);
        match amount {
            Expr::Literal(_, bits) if bits <= mask => return Expr::int(Scalar::I32, bits),
            _ => {}
        }
        if self.overflow_checks() {
            let text = match op {
                BinaryOp::Shl => "attempt to shift left with overflow",
                _ => "attempt to shift right with overflow",
            };
            let site = self.site(SiteKind::Overflow(text), span);
            // A negative amount becomes one that is too large.
            let amount = if scalar.bits() == 64 { amount } else { Expr::cast(Scalar::U64, amount) };
            let width = Expr::int(Scalar::U32, u64::from(width));
            return Expr::faulting(Helper::new(Op::ShiftAmount, Scalar::U64), site, vec![amount, width]);
        }
        if let Expr::Literal(_, bits) = amount {
            return Expr::int(Scalar::I32, bits & mask);
        }
        Expr::binary(Operator::And, amount, Expr::int(scalar, mask))
    }
}

/// Returns the sum, difference or product, modulo 2 to the width of the type.
pub(in crate::lower) fn wrapping(op: Operator, left: Expr, right: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::U32 | Scalar::U64 | Scalar::Usize => Expr::binary(op, left, right),
        Scalar::I32 | Scalar::I64 | Scalar::Isize => {
            let helper = match op {
                Operator::Add => Op::WrappingAdd,
                Operator::Sub => Op::WrappingSub,
                _ => Op::WrappingMul,
            };
            Expr::helper(Helper::new(helper, scalar), vec![left, right])
        }
        // The product of two 16-bit numbers can exceed `int`.
        Scalar::U16 if op == Operator::Mul => narrowed(Expr::binary(op, Expr::cast(Scalar::U32, left), right), scalar),
        _ => narrowed(Expr::binary(op, left, right), scalar),
    }
}

/// Returns `-x`, modulo 2 to the width of the type.
pub(in crate::lower) fn wrapping_neg(operand: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::I32 | Scalar::I64 | Scalar::Isize => Expr::helper(Helper::new(Op::WrappingNeg, scalar), vec![operand]),
        _ => narrowed(Expr::unary(Prefix::Minus, operand), scalar),
    }
}

/// Truncates a result that C computed as `int` to a narrower type.
pub(crate) fn narrowed(expr: Expr, scalar: Scalar) -> Expr {
    if scalar.bits() < 32 && scalar.is_integer() { Expr::cast(scalar, expr) } else { expr }
}

/// Returns a shift by an amount that is less than the width.
pub(in crate::lower) fn shift(op: BinaryOp, left: Expr, amount: Expr, scalar: Scalar) -> Expr {
    match op {
        // Left shifts of negative numbers are undefined behaviour before C++20.
        BinaryOp::Shl if scalar.is_signed() => {
            let unsigned = match scalar {
                // `usize` may be represented by a type of 32 bits.
                Scalar::Isize => Scalar::U64,
                _ if scalar.bits() < 32 => Scalar::U32,
                _ => scalar.to_unsigned(),
            };
            Expr::cast(scalar, Expr::binary(Operator::Shl, Expr::cast(unsigned, left), amount))
        }
        BinaryOp::Shl => narrowed(Expr::binary(Operator::Shl, left, amount), scalar),
        // Right shifts are arithmetic in every compiler, and by definition since C++20.
        _ => Expr::binary(Operator::Shr, left, amount),
    }
}
