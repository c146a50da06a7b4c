//! Rewritten expressions with the conditions under which they are equivalent to the original ones.

use crate::ir::Scalar;
use crate::lower::{CType, Expr, Operator};
use crate::prove::condition::Condition;

/// An expression, and the conditions under which it has the value of the original.
#[derive(Clone)]
pub(super) struct Form {
    pub(super) expr: Expr,
    pub(super) conditions: Vec<Condition>,
}

/// A 32-bit form of an expression.
#[derive(Clone)]
pub(super) struct Narrow {
    pub(super) form: Form,
    /// Whether the original has a type that is not negative, or a value that is known not to be.
    pub(super) nonnegative: bool,
    /// Whether it is computed in 32 bits, not converted from 64 bits.
    pub(super) natural: bool,
}

pub(super) fn is_ring(op: Operator) -> bool {
    matches!(op, Operator::Add | Operator::Sub | Operator::Mul)
}

pub(super) fn is_comparison(op: Operator) -> bool {
    matches!(op, Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge)
}

/// Returns the value of an integer literal.
pub(super) fn literal(scalar: Scalar, bits: u64) -> i128 {
    let unused = 64 - scalar.bits();
    let bits = bits << unused;
    if scalar.is_signed() { i128::from(bits.cast_signed() >> unused) } else { i128::from(bits >> unused) }
}

impl Form {
    pub(super) fn new(expr: Expr) -> Form {
        Form { expr, conditions: Vec::new() }
    }

    pub(super) fn map(self, change: impl FnOnce(Expr) -> Expr) -> Form {
        Form { expr: change(self.expr), conditions: self.conditions }
    }

    pub(super) fn cast(self, scalar: Scalar) -> Form {
        self.map(|expr| match expr {
            Expr::Literal(of, bits) if of.is_integer() && (of == Scalar::I32 || scalar.bits() <= of.bits()) => {
                // The bits of a literal are those of its type.
                let value = literal(of, bits) as u64;
                Expr::Literal(scalar, value & (u64::MAX >> (64 - scalar.bits())))
            }
            // CUDA's built-in variables are unsigned.
            Expr::Cast(CType::Scalar(Scalar::I32), special)
                if scalar == Scalar::U32 && matches!(*special, Expr::Special(_)) =>
            {
                *special
            }
            // The low-order bits.
            Expr::Cast(CType::Scalar(of), inner)
                if of.is_integer() && of.bits() >= scalar.bits() && scalar == Scalar::I32 && of != Scalar::Bool =>
            {
                Expr::cast(scalar, *inner)
            }
            expr => Expr::cast(scalar, expr),
        })
    }

    pub(super) fn two(left: Form, right: Form, make: impl FnOnce(Expr, Expr) -> Expr) -> Form {
        let mut conditions = left.conditions;
        conditions.extend(right.conditions);
        Form { expr: make(left.expr, right.expr), conditions }
    }

    pub(super) fn binary(op: Operator, left: Form, right: Form) -> Form {
        Form::two(left, right, |left, right| Expr::binary(op, left, right))
    }

    pub(super) fn under(mut self, condition: Condition) -> Form {
        self.conditions.push(condition);
        self
    }
}

/// Returns a copy of an expression without its children.
pub(super) fn shallow(expr: &Expr) -> Expr {
    let empty = || Box::new(Expr::Literal(Scalar::Bool, 0));
    let all = |parts: &[Expr]| vec![Expr::Literal(Scalar::Bool, 0); parts.len()];
    match expr {
        Expr::Unary(op, _) => Expr::Unary(*op, empty()),
        Expr::Binary(op, _, _) => Expr::Binary(*op, empty(), empty()),
        Expr::Cast(ty, _) => Expr::Cast(ty.clone(), empty()),
        Expr::Conditional(..) => Expr::Conditional(empty(), empty(), empty()),
        Expr::Index(..) => Expr::Index(empty(), empty()),
        Expr::Field(_, ty, position) => Expr::Field(empty(), *ty, *position),
        Expr::Deref(_) => Expr::Deref(empty()),
        Expr::AddressOf(_) => Expr::AddressOf(empty()),
        Expr::Struct(ty, parts) => Expr::Struct(*ty, all(parts)),
        Expr::Array(ty, parts) => Expr::Array(ty.clone(), all(parts)),
        Expr::Filled(ty, len, _) => Expr::Filled(ty.clone(), *len, empty()),
        Expr::Call(callee, parts) => Expr::Call(callee.clone(), all(parts)),
        Expr::Var(_) | Expr::Literal(..) | Expr::Special(_) | Expr::Variant(..) | Expr::Constant(_) => expr.clone(),
    }
}
