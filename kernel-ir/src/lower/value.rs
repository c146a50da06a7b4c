//! What an expression of the IR is in C: nothing, an expression, or several.

use crate::ir::{Scalar, StructType, Type};

use super::Expr;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The expression does not finish; what would use it is not reached.
    Never,
    /// `()`
    Unit,
    /// A number or a `bool`.
    Scalar(Expr, Scalar),
    /// The parts of a tuple or a struct.
    Parts(Vec<Value>),
    /// A pointer and a length.
    Slice { pointer: Expr, len: Expr, element: Scalar, mutable: bool },
    /// An array of the block, or a row of one.
    Array { place: Expr, element: Scalar, lens: Vec<u64> },
    /// The address of an element.
    Place { lvalue: Expr, element: Scalar },
}

impl Value {
    pub(super) fn bool(expr: Expr) -> Value {
        Value::Scalar(expr, Scalar::Bool)
    }

    pub(super) fn usize(expr: Expr) -> Value {
        Value::Scalar(expr, Scalar::Usize)
    }

    /// The number. What is not reached needs one too, so that it is well-formed C.
    pub(super) fn expr(self) -> Expr {
        match self {
            Value::Scalar(expr, _) => expr,
            Value::Never
            | Value::Unit
            | Value::Parts(_)
            | Value::Slice { .. }
            | Value::Array { .. }
            | Value::Place { .. } => Expr::int(Scalar::I32, 0),
        }
    }

    /// The part of a tuple or a struct at a position.
    pub(super) fn part(self, position: usize) -> Value {
        match self {
            Value::Parts(mut parts) if position < parts.len() => parts.swap_remove(position),
            Value::Parts(_)
            | Value::Never
            | Value::Unit
            | Value::Scalar(..)
            | Value::Slice { .. }
            | Value::Array { .. }
            | Value::Place { .. } => Value::Never,
        }
    }

    /// Calls `visit` with each C expression in the value.
    pub(super) fn leaves(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Value::Never | Value::Unit => {}
            Value::Scalar(expr, _) | Value::Array { place: expr, .. } | Value::Place { lvalue: expr, .. } => {
                visit(expr);
            }
            Value::Parts(parts) => parts.iter().for_each(|part| part.leaves(visit)),
            Value::Slice { pointer, len, .. } => {
                visit(pointer);
                visit(len);
            }
        }
    }
}

/// The innermost elements and the dimensions of an array, outermost first.
pub(super) fn dimensions(ty: &Type) -> (Scalar, Vec<u64>) {
    let mut lens = Vec::new();
    let mut ty = ty;
    while let Type::Array(element, len) = ty {
        lens.push(*len);
        ty = element;
    }
    // `validate` has seen that it is a scalar.
    (ty.scalar().unwrap_or(Scalar::U8), lens)
}

/// The position of a field in the parts of its struct or tuple.
pub(super) fn position(ty: &Type, name: &str) -> usize {
    match ty {
        Type::Struct(StructType { name: _, fields }) => fields.iter().position(|field| field.name == name),
        _ => name.parse().ok(),
    }
    .unwrap_or(usize::MAX)
}
