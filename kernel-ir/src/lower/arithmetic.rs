//! Rust's operators on numbers.
//!
//! C computes with `int` at least, and leaves the overflow of signed types undefined. Rust computes at the width of the
//! type, and wraps or faults, as the profile says. So narrow results are cast back, signed arithmetic goes through
//! unsigned types (in helpers, where it would clutter the text), and checks are helpers.

use crate::ir::{BinaryOp, Scalar, Span};
use crate::source::SiteKind;

use super::control::operator;
use super::function::Lowering;
use super::{Callee, Expr, Helper, Op, Operator, Prefix};

impl Lowering<'_, '_> {
    /// `left op right`
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        (left, scalar): (Expr, Scalar),
        (right, right_scalar): (Expr, Scalar),
        span: Span,
    ) -> Expr {
        match op {
            // Those of `f16` and `bf16` are operators of ours.
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
                Scalar::F32 => Expr::Call(Callee::Builtin("fmodf"), vec![left, right]),
                Scalar::F64 => Expr::Call(Callee::Builtin("fmod"), vec![left, right]),
                Scalar::F16 | Scalar::Bf16 => Expr::binary(Operator::Rem, left, right),
                _ => self.division(Op::Rem, (left, right), scalar, span),
            },
            // Narrow operands are extended by their sign or by zeros, and so is the result.
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Eq | BinaryOp::Ne => {
                Expr::binary(operator(op), left, right)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount = self.shift_amount(op, right, right_scalar, scalar.bits(), span);
                shift(op, left, amount, scalar)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                // What decides whether a loop is left must not mislead the compiler: see `cuda::integer::opaque`.
                let left = if self.leaving && scalar.is_integer() {
                    Expr::helper(Helper::new(Op::Opaque, scalar), vec![left])
                } else {
                    left
                };
                Expr::binary(operator(op), left, right)
            }
        }
    }

    /// `/` and `%`, and the methods like them. Zero is a fault, and so is the least number by -1, in every profile.
    pub(super) fn division(&mut self, op: Op, (left, right): (Expr, Expr), scalar: Scalar, span: Span) -> Expr {
        if let (Op::Div | Op::Rem, Expr::Literal(_, bits)) = (op, &right) {
            let minus_one = u64::MAX >> (64 - scalar.bits());
            if *bits != 0 && !(scalar.is_signed() && *bits == minus_one) {
                let c = if op == Op::Div { Operator::Div } else { Operator::Rem };
                return Expr::binary(c, left, right);
            }
        }
        let remainder = matches!(op, Op::Rem | Op::RemEuclid);
        let zero = if remainder { SiteKind::RemainderByZero } else { SiteKind::DivisionByZero };
        let site = self.site(zero, span);
        if scalar.is_signed() {
            let text = if remainder {
                "attempt to calculate the remainder with overflow"
            } else {
                "attempt to divide with overflow"
            };
            // The helper takes the first site; this is the one after it.
            self.site(SiteKind::Overflow(text), span);
        }
        Expr::faulting(Helper::new(op, scalar), site, vec![left, right])
    }

    /// The amount of a shift, below the width: checked, or its low bits.
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
            // A negative amount becomes one that is too great.
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

/// The sum, difference or product, modulo the width of the type.
pub(super) fn wrapping(op: Operator, left: Expr, right: Expr, scalar: Scalar) -> Expr {
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
        // The product of two numbers of 16 bits does not fit `int`.
        Scalar::U16 if op == Operator::Mul => narrowed(Expr::binary(op, Expr::cast(Scalar::U32, left), right), scalar),
        _ => narrowed(Expr::binary(op, left, right), scalar),
    }
}

/// `-x`, modulo the width of the type.
pub(super) fn wrapping_neg(operand: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::I32 | Scalar::I64 | Scalar::Isize => Expr::helper(Helper::new(Op::WrappingNeg, scalar), vec![operand]),
        _ => narrowed(Expr::unary(Prefix::Minus, operand), scalar),
    }
}

/// The low bits of what C computed as an `int`, for types that are narrower.
pub(super) fn narrowed(expr: Expr, scalar: Scalar) -> Expr {
    if scalar.bits() < 32 && scalar.is_integer() { Expr::cast(scalar, expr) } else { expr }
}

/// A shift by an amount below the width.
pub(super) fn shift(op: BinaryOp, left: Expr, amount: Expr, scalar: Scalar) -> Expr {
    match op {
        // C leaves the left shift of a negative number undefined before C++20.
        BinaryOp::Shl if scalar.is_signed() => {
            let unsigned = if scalar.bits() < 32 { Scalar::U32 } else { scalar.to_unsigned() };
            Expr::cast(scalar, Expr::binary(Operator::Shl, Expr::cast(unsigned, left), amount))
        }
        BinaryOp::Shl => narrowed(Expr::binary(Operator::Shl, left, amount), scalar),
        // The sign is shifted in, by every compiler, and by definition since C++20.
        _ => Expr::binary(Operator::Shr, left, amount),
    }
}
